"""Every text that a person reads, in English and Chinese, by id. Only the language in use is imported.

Texts for the model are not here: they are English and live beside what they describe.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

Lang = Literal["en", "zh"]


class Phrase:
    """A text that is not spoken yet: its id, and what its fields say. A field may be a phrase itself."""

    __slots__ = ("fields", "key")

    def __init__(self, key: str, /, **fields: object) -> None:
        self.key = key
        self.fields = fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phrase) and (self.key, self.fields) == (other.key, other.fields)

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Phrase({self.key!r}, {self.fields!r})"

    @property
    def values(self) -> dict[str, str]:
        """The fields as text, to be stored beside `key`; `phrase_of` is the way back."""
        flat: dict[str, str] = {}
        for name, value in self.fields.items():
            if isinstance(value, Phrase):
                flat[f"{name}.key"] = value.key
                flat |= {f"{name}.{inner}": said for inner, said in value.values.items()}
            else:
                flat[name] = str(value)
        return flat


def phrase_of(key: str, values: Mapping[str, str]) -> Phrase:
    """A phrase from its `key` and `values`."""
    fields: dict[str, object] = {name: value for name, value in values.items() if "." not in name}
    for name in values:
        head, _, rest = name.partition(".")
        if rest == "key":
            inner = {
                each.removeprefix(f"{head}."): said for each, said in values.items() if each.startswith(f"{head}.")
            }
            fields[head] = phrase_of(inner.pop("key"), inner)
    return Phrase(key, **fields)


class SpokenError(Exception):
    """An error whose text is in the catalogue. `str()` is English; a front end speaks `phrase` in its own language.

    `blame` says whose doing it is: the person's, who said or set something wrong; the world's, of files and networks;
    or the world's for now, so that it is worth trying again later.
    """

    blame: Literal["person", "world", "later"] = "person"

    def __init__(self, key: str, /, **fields: object) -> None:
        super().__init__(key)
        self.phrase = Phrase(key, **fields)

    def __str__(self) -> str:
        return texts("en").say(self.phrase)


class AdvisedError(SpokenError):
    """An error with a next step: the catalogue has what happened under the id, and what to do under `ID.hint`.

    `message`, which is `str()` too, and `hint` are English.
    """

    def __init__(self, key: str, /, **fields: object) -> None:
        self.what, self.next_step = Phrase(key, **fields), Phrase(f"{key}.hint", **fields)
        super().__init__("error.next", message=self.what, hint=self.next_step)

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> str:
        return texts("en").say(self.what)

    @property
    def hint(self) -> str:
        return texts("en").say(self.next_step)


class Texts:
    """The texts of one language. Call it with an id and the fields that the text names."""

    __slots__ = ("_by_id", "lang")

    def __init__(self, lang: Lang, by_id: Mapping[str, str]) -> None:
        self.lang: Lang = lang
        self._by_id = by_id

    def __call__(self, key: str, /, **fields: object) -> str:
        spoken = {name: self.say(value) if isinstance(value, Phrase) else value for name, value in fields.items()}
        return self._by_id[key].format_map(spoken)

    def __contains__(self, key: str) -> bool:
        return key in self._by_id

    def say(self, phrase: Phrase) -> str:
        return self(phrase.key, **phrase.fields)

    def switch(self, lang: Lang) -> None:
        """Speak another language from now on, for everybody who holds these texts."""
        other = texts(lang)
        self.lang, self._by_id = other.lang, other._by_id  # noqa: SLF001 - one of our own kind


def texts(lang: Lang) -> Texts:
    match lang:
        case "en":
            from helloclaw.i18n import en

            return Texts(lang, en.TEXTS)
        case "zh":
            from helloclaw.i18n import zh

            return Texts(lang, zh.TEXTS)
        case _:
            assert_never(lang)


def choose(wanted: str | None, environ: Mapping[str, str]) -> Lang:
    """The language that was asked for (`en`, `zh`, `zh-CN`…), else the locale's; English where neither is Chinese.

    POSIX: `LC_ALL` overrides `LC_MESSAGES`, which overrides `LANG`; an empty one counts as unset.
    """
    if wanted and wanted != "auto":
        return "zh" if wanted.lower().startswith("zh") else "en"
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"
