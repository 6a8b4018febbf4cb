"""What stands inside the elements of the older XML stream."""

import re
from typing import Dict, Iterator, List, Optional, Tuple

from xml_tag import Tag, read_open_tag
from xml_text import FORMATTER, SECTION_END, SECTION_START, body_pieces, decode_entities, is_blank

NESTED = re.compile(r"<(?:text|image)(?=[\s/>])|</(?:text|image)\s*>", re.ASCII)
CITATION = re.compile(r"<citation(?=[\s/>])", re.ASCII)
CITATION_END = re.compile(r"</citation\s*>", re.ASCII)
SECTION_OPENER = re.compile(r"\s*<!\[CDATA\[", re.ASCII)
# A section ends only where the citation can end: the old formatter did not protect `]]>`. [XML-10]
SECTION_CLOSER = re.compile(r"\]\]>\s*(</citation\s*>)(?=\s*(?:<citation[\s/>]|\Z))", re.ASCII)
NOT_BLANK = re.compile(r"[^ \t\r\n]|\Z")

Attributes = Dict[str, str]


def read_result(body: str) -> Tuple[str, List[Attributes]]:
    """The text and the images of a tool's result, nested in tags or bare. [XML-8] [XML-11]"""
    pieces: List[str] = []
    images: List[Attributes] = []
    texts = 0
    is_marked_up = False
    for is_section, text in body_pieces(body):
        if is_section:
            is_marked_up = True
            pieces.append(text.replace("\\n", "\n"))
            continue
        at = 0
        for found in NESTED.finditer(text):
            is_closer = found.group().startswith("</")
            tag = None if is_closer else read_open_tag(text, found.start())
            if not is_closer and tag is None:
                continue
            is_marked_up = True
            _add_characters(pieces, text[at : found.start()])
            at = found.end() if tag is None else tag.end
            if tag is not None and tag.name == "image":
                images.append(tag.attributes)
            elif tag is not None:
                # Where the old system had several texts it sent them as lines.
                if texts > 0:
                    pieces.append("\n")
                texts += 1
        _add_characters(pieces, text[at:])
    return "".join(pieces) if is_marked_up else decode_entities(body), images


def _add_characters(pieces: List[str], text: str) -> None:
    if not is_blank(text):
        pieces.append(decode_entities(text))


def read_citations(body: str) -> Iterator[Tuple[Attributes, str]]:
    """The attributes and the body of each citation; one that is not closed goes on to the end. [XML-12]"""
    at = 0
    while True:
        start = CITATION.search(body, at)
        if start is None:
            return
        tag = read_open_tag(body, start.start())
        if tag is None:
            at = start.end()
            continue
        end, at = (tag.end, tag.end) if tag.is_self_closing else _find_end(body, tag.end)
        yield tag.attributes, body[tag.end : end]


def _find_end(body: str, start: int) -> Tuple[int, int]:
    """Where the body of a citation ends, and where the citation itself does."""
    if SECTION_OPENER.match(body, start):
        found = SECTION_CLOSER.search(body, start)
        return (found.start(1), found.end(1)) if found else (len(body), len(body))
    found = CITATION_END.search(body, start)
    return (found.start(), found.end()) if found else (len(body), len(body))


class BodyScanner:
    """Finds the end of an element whose body comes in several messages, reading every character once."""

    def __init__(self, tag: Tag) -> None:
        self._closer = tag.closer
        markers = (SECTION_START, tag.closer)
        self._markers = {
            "content": markers,
            "section_end": (*markers, "</citation>") if tag.shape == "citations" else markers,
        }
        # Behind a `]]>` that may not be the section's end. [XML-10]
        self._after_section = "section_end" if tag.layer is FORMATTER else "content"
        self._place = "content"
        self._pieces: List[str] = []
        self._held = ""

    @property
    def body(self) -> str:
        return "".join(self._pieces)

    def feed(self, message: str) -> Optional[str]:
        """Takes the next message; gives what stands behind the closing tag once that has come."""
        text = self._held + message
        at: Optional[int] = 0
        while at is not None and self._place != "closed":
            start = at
            at = self._read_section(text, at) if self._place == "section" else self._read_between(text, at)
            if at is None:
                at_end = self._kept_until(text, start)
                self._pieces.append(text[start:at_end])
                self._held = text[at_end:]
            elif self._place != "closed":
                self._pieces.append(text[start:at])
        return None if at is None else text[at:]

    def finish(self) -> str:
        """The body of an element that was cut: a torn tag is no part of it."""
        return self.body if self._held.startswith("<") else self.body + self._held

    def _read_section(self, text: str, at: int) -> Optional[int]:
        end = text.find(SECTION_END, at)
        if end < 0:
            return None
        self._place = self._after_section
        return end + len(SECTION_END)

    def _read_between(self, text: str, at: int) -> Optional[int]:
        """Between sections, or behind what may be the end of one."""
        place = self._place
        start = self._next_place(text, at)
        if start == len(text) or self._is_torn(text, start):
            return None
        if start > at:
            return start
        marker = next((one for one in self._markers[place] if text.startswith(one, start)), None)
        if marker is None:
            self._place = "content" if place == "content" else "section"
            return start + 1 if place == "content" else start
        self._place = {SECTION_START: "section", self._closer: "closed"}.get(marker, "content")
        return start + len(marker)

    def _next_place(self, text: str, at: int) -> int:
        """Where a marker may stand, or the end of the text."""
        if self._place == "content":
            start = text.find("<", at)
            return len(text) if start < 0 else start
        found = NOT_BLANK.search(text, at)
        return len(text) if found is None else found.start()

    def _is_torn(self, text: str, start: int) -> bool:
        seen = len(text) - start
        return any(
            seen < len(one) and one.startswith(text[start:]) for one in self._markers[self._place]
        )

    def _kept_until(self, text: str, at: int) -> int:
        """How much is certain of a text that goes on in the next message."""
        if self._place == "section":
            tail = 2 if text.endswith("]]") else 1 if text.endswith("]") else 0
            return max(at, len(text) - tail)
        return self._next_place(text, at)
