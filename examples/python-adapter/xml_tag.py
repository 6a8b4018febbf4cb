"""The tags of the older XML stream. [XML-5] [XML-6]"""

import re
from dataclasses import dataclass
from typing import Dict, Optional

from xml_text import FORMATTER, PLAIN, Layer

NAME = re.compile(r"<([A-Za-z][\w:-]*)(?=[\s/>])", re.ASCII)
ATTRIBUTE = re.compile(r"""\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""", re.ASCII)
END = re.compile(r"\s*(/?)>", re.ASCII)
CLOSING_TAG = re.compile(r"</([A-Za-z][\w:-]*)\s*>\s*", re.ASCII)
# Older streams named the tag of a server tool's result after the tool.
OLDER_RESULT = re.compile(r"(?:content-block-)?(.+_tool_result)")
MAX_NAME_LENGTH = 128


@dataclass(frozen=True)
class OpenTag:
    """An opening tag that was read whole, its attributes as they are written."""

    name: str
    attributes: Dict[str, str]
    is_self_closing: bool
    end: int


@dataclass(frozen=True)
class Tag:
    """A tag that means something: the type of its messages, and where its content stands."""

    name: str
    type: str
    # stream: as it comes; attribute: in the one that `payload` names; body, result and citations: inside.
    shape: str
    layer: Layer
    payload: Optional[str] = None
    tool_name: Optional[str] = None

    @property
    def closer(self) -> str:
        return f"</{self.name}>"


TAGS = {
    tag.name: tag
    for tag in (
        Tag("meta_init", "meta_init", "attribute", PLAIN, "data"),
        Tag("content-block-thinking", "thinking", "stream", FORMATTER),
        Tag("content-block-text", "text", "stream", FORMATTER),
        Tag("content-block-tool_call", "tool_call", "attribute", FORMATTER, "arguments"),
        Tag("content-block-server_tool_call", "server_tool_call", "attribute", FORMATTER, "arguments"),
        Tag("content-block-tool_result", "tool_result", "result", PLAIN),
        Tag("content-block-server_tool_result", "server_tool_result", "body", FORMATTER),
        Tag("citations", "citation", "citations", FORMATTER),
        Tag("awaiting_frontend_tools", "awaiting_frontend_tools", "attribute", PLAIN, "data"),
        Tag("content-block-meta_files", "meta_files", "body", PLAIN),
        Tag("content-block-error", "error", "body", FORMATTER),
        Tag("meta_final", "meta_final", "attribute", PLAIN, "data"),
    )
}


def tag_of(name: Optional[str]) -> Optional[Tag]:
    """The tag of a name, or nothing where the name means nothing and is text."""
    if name is None or name in TAGS:
        return TAGS.get(name or "")
    older = OLDER_RESULT.fullmatch(name)
    if older is None or len(name) > MAX_NAME_LENGTH:
        return None
    return Tag(name, "server_tool_result", "body", FORMATTER, tool_name=older.group(1))


def read_open_tag(text: str, at: int = 0) -> Optional[OpenTag]:
    """Reads the opening tag that stands at a place; of two equal attributes the first counts."""
    name = NAME.match(text, at)
    if name is None:
        return None
    attributes: Dict[str, str] = {}
    at = name.end()
    while True:
        attribute = ATTRIBUTE.match(text, at)
        if attribute is None:
            break
        key, double, single = attribute.groups()
        attributes.setdefault(key, single if double is None else double)
        at = attribute.end()
    end = END.match(text, at)
    if end is None:
        return None
    return OpenTag(name.group(1), attributes, end.group(1) == "/", end.end())


def closing_name(text: str) -> Optional[str]:
    """The name in a closing tag that is all there is in a text."""
    found = CLOSING_TAG.fullmatch(text)
    return found and found.group(1)
