"""How the older XML stream escapes text. Its three layers did it in three ways. [XML-7] [XML-8] [XML-9]"""

import re
from dataclasses import dataclass
from typing import Callable, Iterator, Tuple

BLANKS = " \t\r\n"
SECTION_START = "<![CDATA["
SECTION_END = "]]>"

BACKSLASHES = re.compile(r"\\(?:([\\nr])|u([0-9a-fA-F]{4}))")
UNESCAPED = {"\\": "\\", "n": "\n", "r": "\r"}
REFERENCE = re.compile(r"&(?:(amp|apos|gt|lt|quot)|#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,6}));")
NAMED = {"amp": "&", "apos": "'", "gt": ">", "lt": "<", "quot": '"'}
LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True)
class Layer:
    """How one part of the old system wrote attributes and bodies."""

    decode_attribute: Callable[[str], str]
    decode_body: Callable[[str], str]


def is_blank(text: str) -> bool:
    return text.strip(BLANKS) == ""


def unescape_backslashes(text: str) -> str:
    """One pass from left to right; a backslash before anything else stays."""
    return BACKSLASHES.sub(_unescape_one, text)


def _unescape_one(found: "re.Match[str]") -> str:
    letter, digits = found.groups()
    return UNESCAPED[letter] if letter else chr(int(digits, 16))


def decode_entities(text: str) -> str:
    """The five named and the numeric references, each exactly once; all others stay. [XML-6]"""
    return REFERENCE.sub(_decode_reference, text)


def _decode_reference(found: "re.Match[str]") -> str:
    name, decimal, digits = found.groups()
    if name:
        return NAMED[name]
    code_point = int(decimal) if decimal else int(digits, 16)
    return found.group() if code_point > LAST_CODE_POINT else chr(code_point)


def body_pieces(body: str) -> Iterator[Tuple[bool, str]]:
    """Splits a body into sections (true) and character data between them; an open section goes on to the end."""
    at = 0
    while at < len(body):
        start = body.find(SECTION_START, at)
        characters = body[at:] if start < 0 else body[at:start]
        if characters:
            yield False, characters
        if start < 0:
            return
        start += len(SECTION_START)
        end = body.find(SECTION_END, start)
        yield True, body[start:] if end < 0 else body[start:end]
        if end < 0:
            return
        at = end + len(SECTION_END)


def _decode_sections(body: str) -> str:
    """Sections as they are; blank character data between them is layout."""
    if SECTION_START not in body:
        return decode_entities(body)
    pieces = []
    for is_section, text in body_pieces(body):
        if is_section:
            pieces.append(text)
        elif not is_blank(text):
            pieces.append(decode_entities(text))
    return "".join(pieces)


def _decode_formatter_body(body: str) -> str:
    """The old formatter did not protect `]]>`: a body that begins with a section ends at the last one. [XML-10]"""
    trimmed = body.strip()
    if not trimmed.startswith(SECTION_START):
        return _decode_sections(unescape_backslashes(body))
    content = trimmed[len(SECTION_START) :]
    if content.endswith(SECTION_END):
        content = content[: -len(SECTION_END)]
    return unescape_backslashes(content.replace(SECTION_END + SECTION_START, ""))


FORMATTER = Layer(lambda raw: decode_entities(unescape_backslashes(raw)), _decode_formatter_body)
PLAIN = Layer(decode_entities, _decode_sections)
