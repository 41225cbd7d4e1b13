"""Text as terms: what of a note is kept to find it by, and what a question asks for.

Words become stems; Chinese, Japanese and Korean become pairs of characters, since
nothing parts their words; identifiers are kept whole and split. The same functions read
notes and questions, so that both meet. Owns what a term is; must not score or store.
Pure.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mewctl.memory import search_dates
from mewctl.memory.search_languages import bare, language_of, stem, stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Changed with whatever changes the terms of a text: a cache of others is not used.
EDITION = "1"
#: Behind a term: any term that begins so is meant.
PREFIX = "*"

#: First and last characters of Chinese, Japanese and Korean writing. No pattern: making
#: one of so many characters takes longer than a search.
_CJK = (
    ("\u1100", "\u11ff"),
    ("\u3005", "\u3007"),
    ("\u3040", "\u30ff"),
    ("\u31f0", "\u31ff"),
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7af"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
_RUN = re.compile("[^\\W_]+(?:['’][^\\W_]+)*")
#: Letters, digits and what joins them in names of code, files and addresses.
_NAME = re.compile(r"[A-Za-z0-9_]+(?:[./\\:@#-]+[A-Za-z0-9_]+)*")
_HUMP = re.compile("[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])")
_MIXED = re.compile("[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_JOINED = re.compile(r"[./\\:@#]+")
_INSIDE = re.compile("[_-]+")
_PLACES = re.compile(r"[/\\]|::?|[#@]")
_APOSTROPHE = re.compile("['’]")
#: Part of a whole name in the place of a dot or slash: no letter of any name.
_STOP = "·"
_QUOTED = re.compile('"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』|«([^»]+)»')
_SPACE = re.compile(r"\s+")
_SHORT = 2  # characters; a shorter word is no name


@dataclass(frozen=True, slots=True)
class Terms:
    """What a note is found by. Each field but ``text`` holds terms, with repetitions.

    ``text`` is title and body with folded case, on one line, for exact phrases.
    """

    title: tuple[str, ...]
    body: tuple[str, ...]
    names: tuple[str, ...]
    dates: tuple[str, ...]
    text: str

    @property
    def columns(self) -> tuple[tuple[str, ...], ...]:
        """Title, body, names and dates."""
        return self.title, self.body, self.names, self.dates


@dataclass(frozen=True, slots=True)
class Question:
    """What a search asks for.

    ``words``: for each word the terms that any of which will do. ``phrases`` are folded
    texts: those in quotation marks, else all of it.
    """

    words: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    dates: tuple[str, ...]
    phrases: tuple[str, ...]


def terms(
    title: str,
    body: str,
    *,
    tags: Iterable[str] = (),
    created: str = "",
    lang: str = "",
    known_as: Iterable[str] = (),
) -> Terms:
    """The terms of a note. ``known_as``: names it has besides those in its text."""
    head = " ".join((title, *tags))
    parts = [_parts(head), _parts(body)]
    language = language_of((word for part in parts for word in part), lang)
    dates = search_dates.terms(f"{created[: len('2026-12-01')]} ; {title} ; {body}")
    return Terms(
        title=tuple(_words(parts[0], language)),
        body=tuple(_words(parts[1], language)),
        names=tuple(_names(" ".join((head, body, *known_as)))),
        dates=tuple(dates),
        text=fold(f"{title} \n {body}"),
    )


def question(text: str) -> Question:
    """What ``text`` asks for."""
    parts = _parts(text)
    language = language_of(parts)
    words = [term for part in parts for term in _asked(part, language)]
    plain = (bare(part) for part in parts if _telling(part, language))
    quoted = [fold(next(filter(None, found))) for found in _QUOTED.findall(text)]
    return Question(
        words=tuple(dict.fromkeys(words)),
        names=tuple(dict.fromkeys((*_names(text), *plain))),
        dates=tuple(search_dates.terms(text)),
        phrases=tuple(dict.fromkeys(filter(None, quoted or [fold(text)]))),
    )


def fold(text: str) -> str:
    """``text`` without case and layout, in the common form of its characters."""
    plain = unicodedata.normalize("NFKC", whole_characters(text)).casefold()
    return _SPACE.sub(" ", plain).strip()


def whole_characters(text: str) -> str:
    """``text`` without halves of characters, which a database refuses."""
    return text.encode("utf-8", "ignore").decode()


def holds(text: str, phrase: str) -> bool:
    """Whether a folded text has a phrase that begins and ends where words do.

    Where nothing parts words, any place is one where they do.
    """
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if _apart(text[at - 1 : at], phrase[0]) and _apart(
            phrase[-1], text[end : end + 1]
        ):
            return True
        at = text.find(phrase, at + 1)
    return False


def _apart(one: str, other: str) -> bool:
    joined = one.isalnum() and other.isalnum()
    return not joined or _is_cjk(one) or _is_cjk(other)


# --- words ---


def _parts(text: str) -> list[str]:
    """The words of a text in small letters, names split; runs of Chinese and such."""
    plain = unicodedata.normalize("NFKC", text)
    split = _HUMP.sub(r"\g<0> ", _MIXED.sub(r"\g<0> ", plain))
    found: list[str] = []
    for run in _RUN.findall(split.casefold()):
        word = _APOSTROPHE.sub("", run)
        if word.isascii():
            found.append(word)
        else:
            found += ("".join(piece) for _, piece in groupby(word, _is_cjk))
    return found


def _is_cjk(text: str) -> bool:
    """Whether a run begins with such a character, and then is all of them."""
    return any(first <= text[:1] <= last for first, last in _CJK)


def _words(parts: Iterable[str], language: str) -> Iterator[str]:
    for part in parts:
        if _is_cjk(part):  # the last one alone: so every character begins a term
            yield from (part[at : at + 2] for at in range(len(part)))
        elif term := stem(part, language):
            yield term


def _asked(part: str, language: str) -> Iterator[tuple[str, ...]]:
    """The terms for a word of a question."""
    if not _is_cjk(part):
        if alternatives := stems(part, language):
            yield alternatives
    elif len(part) == 1:
        yield (part + PREFIX,)
    else:
        yield from ((part[at : at + 2],) for at in range(len(part) - 1))


def _telling(part: str, language: str) -> bool:
    """Whether a word of a question may be a name that was written as a plain word."""
    return part.isascii() and len(part) > _SHORT and stem(part, language) != ""


# --- names ---


def _names(text: str) -> Iterator[str]:
    """The identifiers and paths in a text, whole; of a path its places, too."""
    for found in _NAME.findall(text):
        if _is_name(found):
            yield _whole(found)
            places = [part for part in _PLACES.split(found) if part]
            if len(places) > 1:
                yield from (_whole(part) for part in places if _is_name(part))


def _is_name(text: str) -> bool:
    inner = text.strip("_")
    if not inner or text.isdigit():
        return False
    joined = _INSIDE.search(inner) or _JOINED.search(inner)
    return bool(inner != text or joined or _HUMP.search(text) or _MIXED.search(text))


def _whole(name: str) -> str:
    """One spelling for ``fooBar``, ``foo_bar`` and ``foo-bar``; paths keep stops."""
    return _JOINED.sub(_STOP, _INSIDE.sub("", name)).lower()
