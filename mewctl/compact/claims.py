"""What a sentence claims that can be looked up: paths, commands, quotations, numbers.

Pure. Finds claims in a sentence of prose; must not know the transcript.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
# Nothing that ends a word may stand before a path or be its last character.
_PATH = re.compile(
    r"(?<![\w/.~@:-])(?:~?/|\.{1,2}/)?[\w.@+-]+(?:/[\w.@+-]+)+/?"  # with a slash
    r"|(?<![\w/.~@<-])(?:~/|/)[\w.@+-]+"  # under a root
    r"|(?<![\w/.@-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w(/])"  # a.file
)
_QUOTED = re.compile(
    r'"([^"\n]{2,400})"|“([^”\n]{2,400})”|「([^」\n]{2,400})」|『([^』\n]{2,400})』'
)
_NUMBER = re.compile(r"(?<![A-Za-z\d_.#-])\d(?:[\d,_]*\d)?(?:\.\d+)?(?!\d|-\d)")
_DIGITS = 3  # a shorter number says nothing by which it could be wrong
# Words with a slash or a full stop that are no paths.
_NO_PATH = re.compile(
    r"(?:and/or|either/or|i/o|n/a|ci/cd|tcp/ip|client/server|read/write|input/output"
    r"|yes/no|true/false|on/off|pass/fail|e\.g|i\.e|etc|vs|a\.k\.a|v?\d[\d.]*|\d+/\d+"
    r"|node\.js|next\.js|vue\.js|asp\.net|\w\.\w)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s)>\]`\"']+", re.IGNORECASE)
_QUOTE_WORDS = 3  # a shorter quotation is a name or irony, no statement
_QUOTE_HAN = 4
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Claims:
    """What one sentence names. ``code``: what stands in backticks, commands as well."""

    paths: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


def find(sentence: str) -> Claims:
    """The claims of a sentence, in order."""
    code = [span.strip() for _, span in _SPAN.findall(sentence) if span.strip()]
    rest = _SPAN.sub(" ` ", sentence)
    addresses = _ADDRESS.findall(rest)
    rest = _ADDRESS.sub(" ", rest)
    quotes = [next(filter(None, groups)) for groups in _QUOTED.findall(rest)]
    told = [quote for quote in quotes if _is_statement(quote)]
    paths = [found.group().rstrip(".") for found in _PATH.finditer(rest)]
    return Claims(
        paths=tuple(path for path in paths if not _NO_PATH.fullmatch(path)),
        code=(*code, *addresses),
        quotes=tuple(told),
        numbers=tuple(filter(_is_long, _NUMBER.findall(rest))),
    )


def _is_long(number: str) -> bool:
    return sum(map(str.isdigit, number)) >= _DIGITS


def _is_statement(quote: str) -> bool:
    return len(quote.split()) >= _QUOTE_WORDS or len(_HAN.findall(quote)) >= _QUOTE_HAN


def with_mark(sentence: str, numbers: frozenset[str], mark: str) -> str:
    """The sentence with ``mark`` behind each of the numbers, outside of code."""
    parts: list[str] = []
    at = 0
    for span in _SPAN.finditer(sentence):
        parts += [_marked(sentence[at : span.start()], numbers, mark), span.group()]
        at = span.end()
    return "".join([*parts, _marked(sentence[at:], numbers, mark)])


def _marked(text: str, numbers: frozenset[str], mark: str) -> str:
    def one(found: re.Match[str]) -> str:
        digits = found.group()
        return f"{digits}{mark}" if digits in numbers else digits

    return _NUMBER.sub(one, text)
