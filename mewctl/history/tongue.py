"""Which language a text is written in, as far as that shows without a dictionary. Pure.

By script where the script tells, by function words among a few languages of the Latin
one. Says nothing where it is not sure. ``language`` has the two that mewctl speaks.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mewctl.history.language import prose_of

if TYPE_CHECKING:
    from collections.abc import Iterable

#: How a language is called in a prompt.
NAMES = {
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "ru": "the Cyrillic script of the user's messages",
    "el": "Greek",
    "ar": "the Arabic script of the user's messages",
    "he": "Hebrew",
    "hi": "Hindi",
    "th": "Thai",
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
}

_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\u1100-\u11ff\uac00-\ud7af]"),
    "zh": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")
#: Words that are frequent in one of these languages and rare in the others.
_FUNCTION_WORDS = {
    "en": "the and of is are was this that with for you it not have be from which when",
    "de": "der die das und ist nicht ein eine mit für auf den dem wir bitte auch wird",
    "fr": "le les des est une pas dans pour qui sur avec nous vous cette être aux du",
    "es": "el los las una están por con para que está más pero como esta hay del se lo",
    "pt": "os uma não com para que está mais mas como esta são dos das pelo você ao",
    "it": "il gli di che non per una sono con della questo nel anche più alla dei è",
    "nl": "het een van niet zijn voor met ook maar wordt deze naar bij uit nog wij",
}
_WORDS = {name: frozenset(text.split()) for name, text in _FUNCTION_WORDS.items()}
_LETTERS_OF_WORD = 4  # about as many Latin letters say what one Han character says
_FEW = 12  # letters; below, a text is no sample
_HITS = 4  # function words that make a language likely
_AHEAD = 1.6  # ... if the next likely one has so many times fewer
_KANA = 0.05  # part of a Japanese text that is kana at least
_SAMPLE = 20_000  # characters that are looked at


def tongue(texts: Iterable[str]) -> str:
    """A key of ``NAMES``, or "" where it does not show."""
    prose = " ".join(prose_of(text[:_SAMPLE]) for text in texts)[:_SAMPLE]
    script = _script(prose)
    return _by_words(prose) if script == "latin" else script


def _script(prose: str) -> str:
    counts = {name: len(found.findall(prose)) for name, found in _SCRIPTS.items()}
    latin = sum(map(len, _LATIN.findall(prose)))
    han = counts["zh"]
    if counts["ja"] > _KANA * (han + counts["ja"]):
        counts["ja"] += han
        counts["zh"] = 0
    wide = {"zh", "ja", "ko"}
    weights = {
        name: count * (_LETTERS_OF_WORD if name in wide else 1)
        for name, count in counts.items()
    }
    weights["latin"] = latin
    best = max(weights, key=lambda name: weights[name])
    return best if weights[best] >= _FEW else ""


def _by_words(prose: str) -> str:
    words = [word.casefold() for word in _LATIN.findall(prose)]
    hits = Counter(
        {name: sum(word in known for word in words) for name, known in _WORDS.items()}
    )
    (best, most), (_, next_) = hits.most_common(2)
    return best if most >= _HITS and most >= _AHEAD * next_ else ""
