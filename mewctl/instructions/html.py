"""Raw HTML in Markdown: where a block of it begins, and what ends it. Pure."""

from __future__ import annotations

import re

_NAME = r"[A-Za-z][A-Za-z0-9-]*+"
_ATTRIBUTE = (
    r"(?:\s+[A-Za-z_:][\w.:-]*+"
    r"(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']{0,999}+'|\"[^\"]{0,999}+\"))?+)"
)
#: A complete open or closing tag.
TAG = rf"(?:<{_NAME}{_ATTRIBUTE}*+\s*+/?>|</{_NAME}\s*+>)"

BLANK = ""  # the end of a block that a blank line ends
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd"
    "|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame"
    "|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav"
    "|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot"
    "|th|thead|title|tr|track|ul"
)
_LITERAL = re.compile(r"<(pre|script|style|textarea)(?=\s|>|$)", re.IGNORECASE)
_LITERAL_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_BLOCK = re.compile(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|$)", re.IGNORECASE)
_LONE = re.compile(rf"{TAG}\s*$", re.ASCII)
#: Raw HTML that goes on to a mark of its own.
MARKED = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"))
_DECLARATION = re.compile("<![A-Za-z]")


def opening(rest: str, *, in_paragraph: bool) -> str | None:
    """What ends the HTML block that ``rest`` begins: a mark or ``BLANK``.

    None where it begins none. A lone tag of any name does not end a paragraph.
    """
    literal = _LITERAL.match(rest)
    if literal:
        return f"</{literal.group(1).lower()}>"
    for start, end in MARKED:
        if rest.startswith(start):
            return end
    if _DECLARATION.match(rest):
        return ">"
    if _BLOCK.match(rest) or (not in_paragraph and _LONE.match(rest)):
        return BLANK
    return None


def ends(rest: str, end: str) -> bool:
    """Whether a line has the mark that ends its block."""
    if end.startswith("</"):
        return _LITERAL_END.search(rest) is not None
    return end in rest
