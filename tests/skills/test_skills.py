"""Skills: found where they may be, read as they are written, loaded whole, and harmless before trust."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.agent.tokens import text_tokens
from helloclaw.i18n import Phrase
from helloclaw.settings.trust import trust
from helloclaw.skills.frontmatter import BadHead, _mapping, _plain_fields, fields_of, lines_of, split
from helloclaw.skills.index import BUDGET_CHARS, hint, near, skills_index, triggered
from helloclaw.skills.loading import BODY_CHARS, SkillGone, body_of, files_of, loaded
from helloclaw.skills.shelf import MOST_SKILLS, SHIPPED, SkillShelf
from helloclaw.skills.skill import LIMIT_BYTES, Skill, is_name, parse_skill
from helloclaw.storage.paths import Home

ONE = "---\nname: {name}\ndescription: {description}\n---\n\n# Do it\n"


class Places:
    def __init__(self, root: Path) -> None:
        self.home = Home(root / "home")
        self.workdir = root / "work"
        self.workdir.mkdir()

    def write(self, folder: str, name: str, text: str | None = None, description: str = "It does.") -> Path:
        base = self.home.root / "skills" if folder == "person" else self.workdir / folder
        path = base / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ONE.format(name=name, description=description) if text is None else text, encoding="utf-8")
        return path

    def shelf(self) -> SkillShelf:
        return SkillShelf(home=self.home, workdir=self.workdir)

    def own(self) -> dict[str, str]:
        """Names and where they are from, without what comes with the program."""
        return {each.name: each.where for each in self.shelf().look().skills if each.where != "shipped"}

    def keys(self) -> list[str]:
        return [each.key for each in self.shelf().look().problems]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


# ── where they are found ──


def test_three_folders_and_which_comes_first(places: Places) -> None:
    places.write("skills", "a")
    places.write(".claude/skills", "a", description="hidden")
    places.write(".claude/skills", "b")
    places.write("person", "b", description="hidden")
    places.write("person", "c")
    trust(places.home, places.workdir)
    found = places.shelf().look()
    assert places.own() == {"a": "project", "b": "project", "c": "person"}
    assert [each.key for each in found.problems] == ["skills.hidden"] * 2
    assert found.problems[0].fields["name"] == "a"


def test_a_directorys_own_wait_for_trust(places: Places) -> None:
    path = places.write("skills", "trap")
    assert (places.own(), places.shelf().look().waiting) == ({}, (places.workdir / "skills",))
    trust(places.home, places.workdir)
    assert places.own() == {"trap": "project"}
    path.write_text(ONE.format(name="trap", description="changed"))
    assert places.own() == {}


def test_the_person_may_replace_what_comes_with_the_program(places: Places) -> None:
    places.write("person", "code-review", description="mine")
    found = places.shelf().look()
    (skill,) = (each for each in found.skills if each.name == "code-review")
    assert (skill.where, skill.description, found.problems) == ("person", "mine", ())
    assert [each.key for each in found.hidden] == ["skills.hidden"]


def test_a_change_counts_at_the_next_look(places: Places) -> None:
    path = places.write("person", "a", description="one")
    shelf = places.shelf()
    for text in ("two", "three", "four"):
        path.write_text(ONE.format(name="a", description=text))
        assert next(each.description for each in shelf.look().skills if each.name == "a") == text
    path.unlink()
    assert all(each.name != "a" for each in shelf.look().skills)


def test_a_problem_is_told_once(places: Places) -> None:
    path = places.write("person", "a", "no head")
    shelf = places.shelf()
    assert [each.key for each in shelf.news(shelf.look())] == ["skills.no_head"]
    assert shelf.news(shelf.look()) == ()
    path.write_text(ONE.format(name="other", description="x"))
    assert [each.key for each in shelf.news(shelf.look())] == ["skills.other_name"]


def test_many_problems_are_told_in_few_lines(places: Places) -> None:
    for number in range(9):
        places.write("person", f"a{number}", "no head")
    shelf = places.shelf()
    assert [each.key for each in shelf.news(shelf.look())] == ["skills.no_head"] * 5 + ["skills.more_problems"]


# ── what is none ──


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("# Just text", "skills.no_head"),
        ("---\nname: a\n---\nx", "skills.no_description"),
        ("---\ndescription: ''\n---\nx", "skills.no_description"),
        ("---\ndescription: [x]\n---\nx", "skills.no_description"),
        ("---\nname: b\ndescription: x\n---\nx", "skills.other_name"),
        ("---\ndescription: x\n---\n \n", "skills.empty"),
        ("---\ndescription: " + "x" * 1025 + "\n---\nx", "skills.long_description"),
        ("---\ndescription: x\nname: [\n---\nx", "skills.head.yaml"),
        ("---\n- a\n- b\n---\nx", "skills.head.no_mapping"),
        ("---\na: &a x\nb: *a\n---\nx", "skills.head.alias"),
        ("---\na: 1\na: 2\n---\nx", "skills.head.twice"),
        ("---\na: " + "[" * 20 + "]" * 20 + "\n---\nx", "skills.head.deep"),
        ("---\na: " + "x" * 17_000 + "\n---\nx", "skills.head.large"),
        ("x" * (LIMIT_BYTES + 1), "skills.too_long"),
    ],
)
def test_what_is_no_skill_is_named_and_skipped(places: Places, text: str, key: str) -> None:
    places.write("person", "a", text)
    assert (places.own(), places.keys()) == ({}, [key])


@pytest.mark.parametrize("name", ["A", "a_b", "a--b", "-a", "a-", "ä", "a b", "x" * 65, "技能"])
def test_names(places: Places, name: str) -> None:
    assert not is_name(name)
    places.write("person", name)
    assert (places.own(), places.keys()) == ({}, ["skills.bad_name"])


def test_links_pipes_and_garbage(places: Places, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text(ONE.format(name="linked", description="x"))
    folder = places.home.root / "skills"
    folder.mkdir(parents=True)
    (folder / "linked").symlink_to(outside)
    for name in ("filed", "piped", "binary"):
        (folder / name).mkdir()
    (folder / "filed" / "SKILL.md").symlink_to(outside / "SKILL.md")
    os.mkfifo(folder / "piped" / "SKILL.md")
    (folder / "binary" / "SKILL.md").write_bytes(b"\xff\xfe\x00")
    (folder / "empty").mkdir()
    assert places.own() == {}
    assert sorted(places.keys()) == ["skills.link", "skills.not_utf8", "skills.outside", "skills.outside"]


def test_a_folder_that_leads_out_of_the_directory(places: Places, tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "evil"
    outside.mkdir(parents=True)
    (outside / "SKILL.md").write_text(ONE.format(name="evil", description="x"))
    (places.workdir / "skills").symlink_to(outside.parent)
    assert (places.own(), places.keys()) == ({}, ["skills.folder_outside"])


def test_of_too_many_the_first_are_taken(places: Places) -> None:
    for number in range(MOST_SKILLS + 2):
        places.write("person", f"a{number:04}")
    assert (len(places.own()), places.keys()) == (MOST_SKILLS, ["skills.too_many"])


# ── what they say ──


def test_every_field() -> None:
    text = (
        "---\nname: a\ndescription: >\n  Two\n  lines\u200b\nlicense: MIT\ncompatibility: Needs git\n"
        'metadata: {author: me, version: "1.0", list: [x]}\nallowed-tools: Bash(git add:*), Read Grep\n'
        "triggers: [pdf, 报表, x]\nother: ignored\n---\nbody\n"
    )
    assert parse_skill(text, Path("/s/a"), "person") == Skill(
        name="a",
        description="Two lines",
        where="person",
        folder=Path("/s/a"),
        license="MIT",
        compatibility="Needs git",
        metadata=(("author", "me"), ("version", "1.0")),
        allowed_tools=("Bash(git add:*)", "Read", "Grep"),
        triggers=("pdf", "报表"),
    )


def test_a_colon_in_a_description_is_forgiven() -> None:
    read = parse_skill("---\nname: a\ndescription: Use it: always\n---\nx", Path("/s/a"), "person")
    assert isinstance(read, Skill)
    assert read.description == "Use it: always"


def test_numbers_and_dates_stay_what_they_look_like() -> None:
    assert fields_of("a: 1.0\nb: 2026-01-02\nc: yes\nd: !!python/object:os.system x") == {
        "a": "1.0",
        "b": "2026-01-02",
        "c": "yes",
        "d": "x",
    }


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"# \n\t?%@`,é\u200b"), max_size=80))
def test_any_head_is_read_or_refused(head: str) -> None:
    with suppress(BadHead):
        assert isinstance(fields_of(head), dict)
    lines_of(head)
    split(f"---\n{head}\n---\n")
    assert isinstance(parse_skill(f"---\n{head}\n---\nx", Path("/s/a"), "person"), Skill | Phrase)


PLAIN = st.text(alphabet=st.sampled_from("aZ09 _.,;()/+-技é²ªⅣ٣"), min_size=1, max_size=12)


KEYS = st.sampled_from(["name", "description", "triggers", "x-y"])


@given(st.dictionaries(KEYS, st.one_of(PLAIN, st.lists(PLAIN, min_size=1, max_size=3))))
def test_what_is_read_without_yaml_is_what_yaml_reads(fields: dict[str, str | list[str]]) -> None:
    head = "\n".join(
        f"{key}: [{', '.join(value)}]" if isinstance(value, list) else f"{key}: {value}"
        for key, value in fields.items()
    )
    plain = _plain_fields(head)
    if plain is not None:
        assert plain == _mapping(head)


def test_what_comes_with_the_program_needs_no_yaml() -> None:
    for path in SHIPPED.glob("*/SKILL.md"):
        head = split(path.read_text(encoding="utf-8")).head
        assert head is not None
        assert _plain_fields(head) == _mapping(head)


# ── the list in the prompt ──


def skill(name: str, description: str = "It does.", triggers: tuple[str, ...] = ()) -> Skill:
    return Skill(name=name, description=description, where="person", folder=Path("/s") / name, triggers=triggers)


def test_the_list_fits_its_budget() -> None:
    assert skills_index([]) == ""
    assert skills_index([skill("a")]).endswith("\n\n- a: It does.")
    many = [skill(f"skill-{number}", "word " * 200) for number in range(20)]
    assert len(skills_index(many)) <= BUDGET_CHARS
    assert all(f"- skill-{number}: word" in skills_index(many) for number in range(20))
    hundreds = skills_index([skill(f"skill-{number}", "word " * 200) for number in range(300)])
    assert len(hundreds) <= BUDGET_CHARS
    assert hundreds.splitlines()[-1].startswith("(2")
    assert "more are not listed" in hundreds


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("make me a PDF", ("pdf",)),
        ("这个pdf怎么合并", ("pdf",)),
        ("pdfium is a library", ()),
        ("做个季度报表吧", ("report",)),
        ("ＰＤＦ 和报表", ("pdf", "report")),
        ("", ()),
        ("x" * 9_000 + " pdf", ()),
    ],
)
def test_words_that_call_for_a_skill(message: str, names: tuple[str, ...]) -> None:
    assert triggered([skill("pdf", triggers=("pdf",)), skill("report", triggers=("报表",))], message) == names


def test_the_hint() -> None:
    assert hint(()) == ""
    expected = "<system-reminder>The skill a or b may fit this message: load_skill shows it.</system-reminder>"
    assert hint(("a", "b")) == expected


def test_near_names() -> None:
    skills = [skill("code-review", "Review a change"), skill("release-notes")]
    assert near("code_reviw", skills) == ("code-review",)
    assert near("review", skills) == ("code-review",)
    assert near("zzz", skills) == ()


# ── what is loaded ──


def test_a_loaded_skill(places: Places) -> None:
    text = ONE.format(name="a", description="x").replace("---\n\n", "allowed-tools: Read\n---\n\n", 1)
    path = places.write("person", "a", text)
    (path.parent / "scripts").mkdir()
    (path.parent / "scripts" / "run.sh").write_text("x")
    (path.parent / ".hidden").write_text("x")
    (path.parent / "link").symlink_to("/etc/passwd")
    (one,) = (each for each in places.shelf().look().skills if each.name == "a")
    assert loaded(one, body_of(one), files_of(one)) == (
        f"# Skill a\nFolder: {one.folder} (paths below are relative to it)\n"
        "It is written for these tools: Read. That permits nothing; calls are decided about as always.\n"
        "Files, to be read with read_file when they are needed:\n- scripts/run.sh\n\n# Do it"
    )
    path.unlink()
    with pytest.raises(SkillGone):
        body_of(one)


def test_a_long_body_is_cut_where_it_can_be_read_on(places: Places) -> None:
    places.write("person", "a", ONE.format(name="a", description="x") + "line\n" * (BODY_CHARS // 4))
    (one,) = (each for each in places.shelf().look().skills if each.name == "a")
    text = loaded(one, body_of(one), ())
    line = int(text.rpartition("offset=")[2].rstrip("]"))
    assert one.file.read_text().splitlines()[line - 1] == "line"
    assert len(text) < BODY_CHARS + 500


def test_its_files_are_free_to_read_once_it_is_in_use(places: Places) -> None:
    places.write("person", "a")
    shelf = places.shelf()
    (one,) = (each for each in shelf.look().skills if each.name == "a")
    assert shelf.readable() == (SHIPPED,)
    shelf.take(one)
    assert shelf.readable() == (SHIPPED, one.folder)


def test_what_comes_with_the_program_is_sound(places: Places) -> None:
    found = places.shelf().look()
    assert sorted(each.name for each in found.skills) == ["code-review", "skill-creator"]
    assert found.problems == ()
    for each in found.skills:
        body = body_of(each)
        assert body.text.startswith("# ")
        assert text_tokens(body.text) < 1_000
        assert len(each.triggers) >= 4
