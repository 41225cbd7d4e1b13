"""Languages of the search: words that say nothing, and the stems of those that do.

A note is read in one language, told by its own words; a question in all of them, since
three words do not tell. Owns the lists and the stemmers; must not split text. Pure.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENGLISH = """
a about above after again against all also am an and any are arent as at be because been
before being below between both but by can cannot cant could couldnt d did didnt do does
doesnt doing dont down during each few for from further get gets got had hadnt has hasnt
have havent having he hed her here heres hers herself hes him himself his how hows i id
if ill im in into is isnt it its itself ive just ll m may me might more most must my
myself no nor not now of off on once only or other ought our ours ourselves out over own
re s same shall she shes should shouldnt so some such t than that thats the their theirs
them themselves then there theres these they theyd theyll theyre theyve this those
through to too under until up upon us ve very was wasnt we wed were werent weve what
whats when whens where wheres which while who whom whose whos why whys will with wont
would wouldnt yet you youd youll your youre yours yourself yourselves youve
"""
_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim
bin bis bist da damit dann das dass dein deine dem den denn der des dich die dies diese
diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er
es etwas euch euer für gegen gibt habe haben hat hatte hatten hier hin hinter ich ihm
ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt
kann kein keine keinem keinen keiner können könnte machen man mein meine mich mir mit
muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner
seit sich sie sind so solche soll sollen sollte sondern sonst über um und uns unser
unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches
wenn wer werde werden wie wieder will wir wird wo worden wurde wurden würde zu zum zur
zwischen
"""
_FRENCH = """
ai aie au aux avait avec avez avoir avons c ce ceci cela ces cet cette chaque comme
comment dans de des donc dont du elle elles en entre es est et étaient était été être eu
eux faire fait il ils j je l la le les leur leurs lui m ma mais me même mes moi mon n ne
nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle
quelles quels qui quoi s sa sans se sera ses si soit son sont sous sur t ta te tes toi
ton tous tout toute toutes tu un une vers vos votre vous y à ça
"""
_SPANISH = """
a al algo algunos ante antes aquel aquella como con contra cual cuál cuando cuándo
cuánto de del desde donde dónde dos el él ella ellas ellos en entre era eran es esa ese
eso esta está están este esto estos fue fueron ha había han hasta hay la las le les lo
los más me mi mis mucho muy nada ni no nos nosotros o os otra otro para pero poco por
porque que qué quien quién se ser si sí sin sino sobre son su sus también tanto te tiene
todo todos tu tus un una uno unos usted y ya yo
"""
#: Language -> its name among the stemmers, and its words that say nothing alone.
_LANGUAGES: dict[str, tuple[str, frozenset[str]]] = {
    "en": ("english", frozenset(_ENGLISH.split())),
    "de": ("german", frozenset(_GERMAN.split())),
    "fr": ("french", frozenset(_FRENCH.split())),
    "es": ("spanish", frozenset(_SPANISH.split())),
}
_FIRST = "en"
_TELLING = 2  # such words that another language needs: one may be a name
_MARK = "·"  # between a stem and its language, so that no other one's is meant


def language_of(words: Iterable[str], told: str = "") -> str:
    """The language of a text's small letters, ``told`` where that is one of ours."""
    short = told.casefold()[:2]
    if short in _LANGUAGES:
        return short
    counts = dict.fromkeys(_LANGUAGES, 0)
    for word in words:
        for name, (_, stops) in _LANGUAGES.items():
            counts[name] += word in stops
    best = max(counts, key=lambda name: (counts[name], name == _FIRST))
    return best if counts[best] >= _TELLING else _FIRST


def stem(word: str, language: str) -> str:
    """The stem of a word in small letters, without accents; "" for a stop word.

    All but English stems are marked: ``new`` is what a Spaniard leaves of ``news``.
    """
    return _stemmed(word, language)


@cache
def _stemmed(word: str, language: str) -> str:
    if word in _LANGUAGES[language][1]:
        return ""
    if word.isdigit():
        return word
    found = bare(_stemmer(language).stemWord(word))
    return found if language == _FIRST else f"{found}{_MARK}{language}"


def stems(word: str, asked_in: str) -> tuple[str, ...]:
    """The stems that notes of any language may have of a word of a question.

    None for a stop word of ``asked_in``, the language that the question seems to be in.
    """
    if not stem(word, asked_in):
        return ()
    return tuple(dict.fromkeys(filter(None, (stem(word, n) for n in _LANGUAGES))))


def bare(word: str) -> str:
    """``word`` without accents: people leave them out."""
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFD", word)
    kept = "".join(char for char in apart if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", kept)


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(_LANGUAGES[language][0])


def edition() -> str:
    """What a cache of stems must be made with to be used: the stemmers' version."""
    import Stemmer

    return f"{Stemmer.version()} {unicodedata.unidata_version}"
