"""The workspace's files on a real disk: made once, read, written, put back, and looked at whatever they have become."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import structs

from helloclaw.i18n import Lang, Phrase, SpokenError, texts
from helloclaw.workspace.files import LARGEST_BYTES, NotThere, Refused, Workspace
from helloclaw.workspace.making import template
from helloclaw.workspace.names import NAMES, UnknownName, name_of
from helloclaw.workspace.reading import BadFile


def names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir() if not path.name.startswith(".")}


def written(workspace: Workspace, name: str, text: str) -> Path:
    """As an editor does it."""
    path = workspace.root / name
    path.write_text(text)
    return path


def changes(workspace: Workspace) -> tuple[Callable[[str], object], ...]:
    """The ways to change a file by name."""

    def write(name: str) -> None:
        workspace.write(name, "x")

    return workspace.reset, write


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_made_on_first_use(tmp_path: Path, language: Lang) -> None:
    workspace = Workspace(tmp_path / "new" / "workspace", language=language)
    current = workspace.look()
    assert current.texts == {name: template(name, language) for name in NAMES}
    assert (current.notices, current.agent_name) == ((), "HelloClaw")
    assert names(workspace.root) == set(NAMES)
    assert {stat.S_IMODE(path.stat().st_mode) for path in workspace.root.iterdir()} == {0o600}
    assert stat.S_IMODE(workspace.root.stat().st_mode) == 0o700


def test_nothing_is_overwritten(workspace: Workspace) -> None:
    workspace.root.mkdir()
    for name in ("USER.md", "AGENTS.md"):
        written(workspace, name, "mine")
    (workspace.root / "SOUL.md").symlink_to("nowhere")
    workspace.look()
    assert {name for name in NAMES if (workspace.root / name).is_file()} == set(NAMES) - {"SOUL.md"}
    assert [workspace.read(name) for name in ("USER.md", "AGENTS.md")] == ["mine", "mine"]


def test_what_was_deleted_stays_so_but_for_agents(workspace: Workspace) -> None:
    workspace.look()
    for name in ("AGENTS.md", "SOUL.md", "BOOTSTRAP.md"):
        (workspace.root / name).unlink()
    assert workspace.look().texts.keys() == set(NAMES) - {"SOUL.md", "BOOTSTRAP.md"}
    # The language it was made in is the one it is mended in.
    assert Workspace(workspace.root, language="zh").look().texts.keys() == set(NAMES) - {"SOUL.md", "BOOTSTRAP.md"}
    assert workspace.read("AGENTS.md") == template("AGENTS.md", "en")


def test_a_damaged_record_brings_nothing_back(workspace: Workspace) -> None:
    workspace.look()
    for name in ("SOUL.md", "AGENTS.md"):
        (workspace.root / name).unlink()
    (workspace.root / ".made.json").write_bytes(b"\0{")
    assert Workspace(workspace.root).look().texts.keys() == set(NAMES) - {"SOUL.md"}


def test_who_has_a_name_is_not_introduced(workspace: Workspace) -> None:
    workspace.root.mkdir()
    written(workspace, "IDENTITY.md", "**名称：** 小爪（Claw）\n")
    current = workspace.look()
    assert (current.agent_name, "BOOTSTRAP.md" in names(workspace.root)) == ("小爪（Claw）", False)


def test_the_introduction_ends_with_a_name_and_for_good(workspace: Workspace) -> None:
    assert "BOOTSTRAP.md" in workspace.look().texts
    written(workspace, "IDENTITY.md", "- **Name:** Claw\n")
    assert "BOOTSTRAP.md" in names(workspace.root)
    current = workspace.look()
    assert ("BOOTSTRAP.md" in current.texts, current.agent_name) == (False, "Claw")
    assert "BOOTSTRAP.md" not in names(workspace.root)
    written(workspace, "IDENTITY.md", "- **Name:** _(pick one)_\n")
    for each in (workspace, Workspace(workspace.root)):
        assert ("BOOTSTRAP.md" in each.look().texts, each.look().agent_name) == (False, "HelloClaw")


def test_it_ends_with_the_turn_in_which_the_name_was_found(workspace: Workspace) -> None:
    workspace.settle()
    workspace.look()
    workspace.settle()
    assert "BOOTSTRAP.md" in names(workspace.root)
    written(workspace, "IDENTITY.md", "- **Name:** Claw\n")
    workspace.settle()
    assert "BOOTSTRAP.md" not in names(workspace.root)


def test_it_can_be_had_again_by_who_wants_it(workspace: Workspace) -> None:
    workspace.look()
    workspace.write("IDENTITY.md", "**Name:** Claw\n")
    assert "BOOTSTRAP.md" not in names(workspace.root)
    for attempt in changes(workspace):
        with pytest.raises(Refused) as refused:
            attempt("BOOTSTRAP.md")
        assert refused.value.phrase == Phrase("workspace.bootstrap_is_over", name="Claw")
    workspace.reset("IDENTITY.md")
    workspace.reset("BOOTSTRAP.md")
    assert workspace.look().texts["BOOTSTRAP.md"] == template("BOOTSTRAP.md", "en")


def test_an_edit_counts_at_the_next_look(workspace: Workspace) -> None:
    workspace.look()
    for text in ("one", "two", "six"):  # of one length, within one tick of the clock
        written(workspace, "USER.md", text)
        assert workspace.look().texts["USER.md"] == text
    (workspace.root / "USER.md").unlink()
    assert "USER.md" not in workspace.look().texts


def test_windows_files_are_read_as_what_they_say(workspace: Workspace) -> None:
    workspace.look()
    (workspace.root / "USER.md").write_bytes("\ufeffname: 李\r\nplace: x\r\n".encode())
    (workspace.root / "SOUL.md").write_bytes("冷静\r\n".encode("utf-16"))
    current = workspace.look()
    assert (current.texts["USER.md"], current.texts["SOUL.md"]) == ("name: 李\nplace: x\n", "冷静\n")
    assert current.notices == ()


def holding(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def a_link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "binary": (holding(b"\x7fELF\0\0"), "workspace.no_text"),
    "other encoding": (holding("我们喜欢喝茶".encode("gb18030")), "workspace.no_text"),
    "torn utf-16": (holding(b"\xff\xfea"), "workspace.no_text"),
    "directory": (Path.mkdir, "workspace.is_special"),
    "link": (a_link, "workspace.is_link"),
    "pipe": (a_pipe, "workspace.is_special"),
    "socket": (a_socket, "workspace.is_special"),
    "huge": (holding(b"x" * (LARGEST_BYTES + 1)), "workspace.too_large"),
}


@pytest.mark.parametrize(("break_it", "key"), BROKEN.values(), ids=list(BROKEN))
def test_what_breaks_counts_as_it_last_was_and_that_is_said_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, break_it: Callable[[Path], object], key: str
) -> None:
    workspace.look()
    path = written(workspace, "USER.md", "Ada")
    assert workspace.look().texts["USER.md"] == "Ada"
    path.unlink()
    monkeypatch.chdir(workspace.root)  # a socket's name is short
    break_it(Path("USER.md"))
    current = workspace.look()
    (notice,) = current.notices
    problem = notice.fields["problem"]
    assert (notice.key, isinstance(problem, Phrase) and problem.key) == ("workspace.last_good", key)
    assert (current.texts["USER.md"], workspace.look().notices) == ("Ada", ())
    assert all("USER.md" in texts(lang).say(notice) for lang in ("en", "zh"))

    fresh = Workspace(workspace.root).look()
    assert ("USER.md" in fresh.texts, [each.key for each in fresh.notices]) == (False, ["workspace.left_out"])

    with pytest.raises(BadFile) as bad:
        workspace.read("USER.md")
    assert bad.value.phrase == problem


def test_once_mended_it_counts_and_breaking_again_is_said_again(workspace: Workspace) -> None:
    workspace.look()
    path = workspace.root / "USER.md"
    for text in ("Ada", "Grace"):
        path.write_bytes(b"\0")
        assert len(workspace.look().notices) == 1
        path.write_text(text)
        assert (workspace.look().texts["USER.md"], workspace.look().notices) == (text, ())


def test_a_few_bad_bytes_are_left_out_of_the_prompt_but_not_edited(workspace: Workspace) -> None:
    workspace.look()
    path = workspace.root / "USER.md"
    path.write_bytes(b"Lives in M\xfcnchen since a long time.")
    current = workspace.look()
    assert current.texts["USER.md"] == "Lives in M\ufffdnchen since a long time."
    assert [current.notices, workspace.look().notices] == [(Phrase("workspace.lossy", path=str(path)),), ()]
    with pytest.raises(BadFile):
        workspace.read("USER.md")


@contextmanager
def not_root() -> Generator[None]:
    """Root may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    workspace = Workspace(Path())  # the directories above are not everybody's
    workspace.look()
    for path in tmp_path.iterdir():
        path.chmod(0o644)
    tmp_path.chmod(0o755)
    Path("SOUL.md").chmod(0)
    with not_root():
        current = workspace.look()
        again = workspace.look()
    reason = Phrase("workspace.unreadable", path="SOUL.md", why=Phrase("system.EACCES"))
    assert current.notices == (Phrase("workspace.last_good", name="SOUL.md", problem=reason),)
    assert (current.texts["SOUL.md"], again.notices) == (template("SOUL.md", "en"), ())


def test_there_are_always_instructions(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    workspace = Workspace(tmp_path / "file" / "workspace", language="zh")
    current = workspace.look()
    assert current.texts == {"AGENTS.md": template("AGENTS.md", "zh")}
    assert current.notices[0].key == "workspace.cannot_make"
    assert workspace.look().notices == ()


def test_writing(workspace: Workspace) -> None:
    workspace.write("user", "Ada\n")
    path = workspace.root / "USER.md"
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("Ada\n", 0o600)
    path.chmod(0o644)
    workspace.write("USER.md", "Grace\n")
    assert (workspace.read("USER.md"), stat.S_IMODE(path.stat().st_mode)) == ("Grace\n", 0o600)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * (LARGEST_BYTES + 1)])
def test_what_could_not_be_read_again_is_not_written(workspace: Workspace, text: str) -> None:
    workspace.write("USER.md", "Ada")
    with pytest.raises(Refused):
        workspace.write("USER.md", text)
    assert workspace.read("USER.md") == "Ada"


@pytest.mark.parametrize("make", [a_link, a_pipe, Path.mkdir])
def test_what_is_no_file_is_not_replaced(workspace: Workspace, make: Callable[[Path], None]) -> None:
    workspace.root.mkdir()
    path = workspace.root / "SOUL.md"
    make(path)
    before = path.lstat()
    for attempt in changes(workspace):
        with pytest.raises(BadFile):
            attempt("SOUL.md")
    assert (path.lstat(), names(workspace.root)) == (before, {"SOUL.md"})


def test_a_reset_keeps_what_was_there(workspace: Workspace) -> None:
    workspace.write("SOUL.md", "stern")
    folder = workspace.root / "backups"
    assert workspace.reset("soul") == folder / "SOUL-20260309-140506.md"
    assert workspace.read("SOUL.md") == template("SOUL.md", "en")
    assert workspace.reset("SOUL.md") is None  # nothing to keep
    (workspace.root / "SOUL.md").write_bytes(b"any\xffbytes")
    assert workspace.reset("SOUL.md") == folder / "SOUL-20260309-140506-2.md"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "SOUL-20260309-140506.md": b"stern",
        "SOUL-20260309-140506-2.md": b"any\xffbytes",
    }
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_reset_makes_what_was_deleted(workspace: Workspace) -> None:
    with pytest.raises(NotThere):
        workspace.read("USER.md")
    assert workspace.reset("USER.md") is None
    assert workspace.read("USER.md") == template("USER.md", "en")


@pytest.mark.parametrize(
    "name",
    [
        *("", ".md", "../USER.md", "/etc/passwd", "USER.md/..", "USER.md\0", "memory/2026-01-01.md", "config.json"),
        *("USER.md.md", "ＵＳＥＲ.md", "uſer.md", ".made.json", "backups", "USER.MD/", " USER.md"),
    ],
)
def test_no_other_file_is_meant(workspace: Workspace, name: str) -> None:
    for attempt in (workspace.read, *changes(workspace)):
        with pytest.raises(UnknownName) as unknown:
            attempt(name)
        assert texts("zh").say(unknown.value.phrase)
    assert not workspace.root.exists()


def test_names_as_people_type_them() -> None:
    assert [name_of(each) for each in ("USER.md", "user", "User.MD", "bootstrap.md")] == [
        "USER.md",
        "USER.md",
        "USER.md",
        "BOOTSTRAP.md",
    ]


def test_the_listing(workspace: Workspace) -> None:
    assert {(each.name, each.exists) for each in workspace.listing()} == {(name, False) for name in NAMES}
    workspace.write("MEMORY.md", "汉")
    (workspace.root / "SOUL.md").mkdir()
    found = [each for each in workspace.listing() if each.exists]
    assert [structs.replace(each, modified=None) for each in found] == [type(found[0])(name="MEMORY.md", bytes=3)]
    assert found[0].modified == pytest.approx((workspace.root / "MEMORY.md").stat().st_mtime)


MAKER = """
import sys
from pathlib import Path
from helloclaw.workspace.files import Workspace
assert Workspace(Path(sys.argv[1]), language=sys.argv[2]).look().notices == ()
"""


def test_processes_that_make_it_at_once_agree(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    makers = [
        subprocess.Popen([sys.executable, "-c", MAKER, str(root), language]) for language in ("en", "zh", "en", "zh")
    ]
    assert [maker.wait(60) for maker in makers] == [0] * 4
    workspace = Workspace(root)
    language: Lang = "en" if workspace.read("AGENTS.md") == template("AGENTS.md", "en") else "zh"
    assert {name: workspace.read(name) for name in NAMES} == {name: template(name, language) for name in NAMES}
    assert [path.name for path in root.iterdir() if path.name.endswith(".tmp")] == []


def test_a_problem_has_a_text_in_both_languages() -> None:
    problems: list[SpokenError] = [BadFile("workspace.is_link", path="p"), Refused("workspace.bad_text")]
    assert all(texts(lang).say(each.phrase) for each in problems for lang in ("en", "zh"))
