"""Rules in files: only the person's own change goes in, it takes no trust away and gives none to anybody else's."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helloclaw.i18n import Phrase
from helloclaw.permissions.keeping import PROJECT_FILE, NotKept, RuleFiles
from helloclaw.permissions.rules import BadRule, Rule, load_rules, parse_rule
from helloclaw.settings.trust import is_trusted, renew, trust
from helloclaw.settings.waiting import digests
from helloclaw.storage.paths import Home

TEST = "Bash(npm test:*)"


def rule(text: str = TEST) -> Rule:
    return parse_rule(text, source="session")


class Place:
    def __init__(self, root: Path) -> None:
        self.home = Home(root / "home" / ".helloclaw")
        self.workdir = root / "work"
        self.workdir.mkdir()
        self.files = RuleFiles(self.home, self.workdir)

    @property
    def project(self) -> Path:
        return self.workdir / PROJECT_FILE

    def write(self, **lists: list[str]) -> None:
        self.project.parent.mkdir(exist_ok=True)
        self.project.write_text(json.dumps(lists))

    @property
    def is_trusted(self) -> bool:
        return is_trusted(self.home, self.workdir)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_persons_own_rules(place: Place) -> None:
    place.files.add(rule(), "user")
    place.files.add(rule("Edit(src/**)"), "user")
    place.files.add(rule(), "user")
    assert json.loads(place.home.permissions.read_bytes()) == {"allow": [TEST, "Edit(src/**)"]}
    assert place.home.permissions.stat().st_mode & 0o777 == 0o600
    assert [place.files.remove(TEST, "user") for _ in range(2)] == [True, False]
    assert [each.text for each in load_rules(place.home.permissions, "user").allow] == ["Edit(src/**)"]


def test_a_project_is_a_place_only_while_it_is_trusted(place: Place) -> None:
    assert place.files.places == ("user",)
    with pytest.raises(NotKept) as problem:
        place.files.add(rule(), "project")
    assert problem.value.phrase == Phrase("rule.not_trusted", rule=TEST, path=place.project)
    assert not place.project.exists()
    trust(place.home, place.workdir)
    assert place.files.places == ("project", "user")
    (place.workdir / ".env").write_text("A=1")
    assert place.files.places == ("user",)


def test_ones_own_saving_keeps_the_trust(place: Place) -> None:
    (place.workdir / ".env").write_text("A=1")
    place.write(deny=["Bash(make)"])
    trust(place.home, place.workdir)
    place.files.add(rule(), "project")
    assert (place.is_trusted, digests(place.workdir).keys()) == (True, {".env", PROJECT_FILE})
    place.files.add(rule("Read(/etc/hosts)"), "project")
    assert json.loads(place.project.read_bytes()) == {"deny": ["Bash(make)"], "allow": [TEST, "Read(/etc/hosts)"]}
    assert place.is_trusted
    assert place.files.remove(TEST, "project")
    assert place.is_trusted
    assert place.files.remove("Read(/etc/hosts)", "project")
    assert (place.is_trusted, digests(place.workdir).keys()) == (True, {".env"})
    place.write(deny=["Bash(make)"], allow=["Bash"])
    assert not place.is_trusted


def test_a_directory_trusted_through_its_repository_becomes_trusted_by_itself(place: Place) -> None:
    (place.workdir / ".git").mkdir()
    below = place.workdir / "below"
    below.mkdir()
    trust(place.home, place.workdir)
    RuleFiles(place.home, below).add(rule(), "project")
    assert is_trusted(place.home, below)
    (below / ".env").write_text("A=1")
    assert not is_trusted(place.home, below)


def test_what_somebody_else_put_in_is_never_trusted_along(place: Place) -> None:
    """Also not where it happens between the look at the trust and the writing."""
    trust(place.home, place.workdir)
    place.write(allow=["Bash"])
    with pytest.raises(NotKept) as problem:
        place.files.add(rule(), "project")
    assert problem.value.phrase.key == "rule.not_trusted"
    other = digests(place.workdir)[PROJECT_FILE]
    assert not renew(place.home, place.workdir, PROJECT_FILE, before=other, after="0" * 64)
    assert not place.is_trusted


def test_another_directory_in_its_place_is_not_renewed(place: Place) -> None:
    trust(place.home, place.workdir)
    place.workdir.rename(place.workdir.with_name("moved"))
    place.workdir.mkdir()
    assert not renew(place.home, place.workdir, PROJECT_FILE, before=None, after="0" * 64)


def test_nothing_is_written_through_a_link(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (place.workdir / ".claude").symlink_to(elsewhere)
    trust(place.home, place.workdir)
    with pytest.raises(NotKept) as problem:
        place.files.add(rule(), "project")
    assert problem.value.phrase == Phrase("rule.through_link", rule=TEST, path=place.project)
    assert list(elsewhere.iterdir()) == []


def test_a_broken_file_is_left_as_it_is(place: Place) -> None:
    place.home.root.mkdir(parents=True)
    place.home.permissions.write_text('{"allow": ["Bash("]}')
    with pytest.raises(NotKept) as problem:
        place.files.add(rule(), "user")
    assert (problem.value.phrase.key, "'Bash('" in str(problem.value)) == ("rule.not_saved", True)
    with pytest.raises(BadRule):
        place.files.remove(TEST, "user")
    assert place.home.permissions.read_text() == '{"allow": ["Bash("]}'


def test_an_untrusted_projects_rule_can_be_taken_out(place: Place) -> None:
    place.write(allow=[TEST], deny=["Bash(make)"])
    assert place.files.remove("Bash(make)", "project")
    assert (json.loads(place.project.read_bytes()), place.is_trusted) == ({"allow": [TEST], "deny": []}, False)


def test_two_at_a_time_lose_nothing(place: Place) -> None:
    trust(place.home, place.workdir)
    texts = [f"Bash(make t{number})" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        added = [pool.submit(RuleFiles(place.home, place.workdir).add, rule(text), "project") for text in texts]
    assert [each.result() for each in added] == [None] * len(texts)
    assert sorted(json.loads(place.project.read_bytes())["allow"]) == sorted(texts)
    assert place.is_trusted
