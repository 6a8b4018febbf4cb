"""The older XML stream, message by message: the data of each SSE event becomes messages of the wire. [XML-2]"""

import re
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

import strict_json
import xml_text
from envelope import Message
from xml_body import BodyScanner, read_citations, read_result
from xml_tag import OpenTag, Tag, closing_name, read_open_tag, tag_of
from xml_text import BLANKS, is_blank

DONE = "[DONE]"
FAILURE_START = '{"error":'

# No attribute may set these. [XML-6]
RESERVED = frozenset({"type", "agent", "final", "delta", "more", "span"})
REQUIRED = {
    "tool_call": ("id", "name"),
    "server_tool_call": ("id", "name"),
    "tool_result": ("id", "name"),
    "server_tool_result": ("id", "name"),
    "tool_result_image": ("id", "name", "src", "media_type"),
}
# The types whose last message may say that the block was cut. [LIFE-14]
CUTTABLE = frozenset(
    {"text", "thinking", "tool_call", "server_tool_call", "tool_result", "server_tool_result"}
)
FLAGS = frozenset(
    {("thinking", "redacted"), ("tool_result", "is_error"), ("server_tool_result", "is_error")}
    | {(type_, "interrupted") for type_ in CUTTABLE}
)
INTEGER = re.compile(r"-?[0-9]{1,15}")
# The fields of all messages of an element, and those of the one that closes it.
ElementFields = Tuple[Dict[str, Any], Dict[str, Any]]


@dataclass
class _OpenBlock:
    """A text or thinking block that streams; text outside every block has no tag."""

    tag: Optional[Tag]
    type: str
    agent: str
    fields: Dict[str, Any]


class LegacyXmlDecoder:
    """Takes messages one by one and gives those of the wire that they complete."""

    def __init__(self) -> None:
        self._agent: Optional[str] = None
        self._block: Optional[_OpenBlock] = None
        self._element: Optional[Tuple[OpenTag, BodyScanner]] = None
        # What means something only if nothing follows it: a failure, the end, or both. [XML-16]
        self._last_words: List[str] = []
        self._written: List[Message] = []

    def feed(self, message: str) -> List[Message]:
        if self._is_inside and self._may_be_last_word(message):
            self._last_words.append(message)
            return []
        for word in self._last_words:
            self._read(word)
        self._last_words = []
        failure = None if self._is_inside else _read_failure(message)
        if failure is None:
            self._read(message)
        else:
            self._add([failure])
        return self._take()

    def finish(self) -> List[Message]:
        """Closes what is open at the end. [XML-15]"""
        failure = _read_failure(self._last_words[0]) if self._last_words else None
        self._last_words = []
        if self._element is not None:
            open_tag, scanner = self._element
            self._element = None
            self._add_element(open_tag, scanner.finish(), is_cut=True)
        self._close_block(is_cut=self._is_inside)
        if failure is not None:
            self._add([failure])
        return self._take()

    @property
    def _is_inside(self) -> bool:
        is_in_block = self._block is not None and self._block.tag is not None
        return is_in_block or self._element is not None

    def _may_be_last_word(self, message: str) -> bool:
        if message == DONE:
            return True
        return not self._last_words and _read_failure(message) is not None

    # Reading

    def _read(self, message: str) -> None:
        if self._element is not None:
            self._read_body(message)
        elif self._block is None or self._block.tag is None:
            self._read_outside(message)
        elif message == self._block.tag.closer:
            self._close_block()
        else:
            self._add_text(xml_text.unescape_backslashes(message))

    def _read_body(self, message: str) -> None:
        assert self._element is not None
        open_tag, scanner = self._element
        rest = scanner.feed(message)
        if rest is None:
            return
        self._element = None
        self._add_element(open_tag, scanner.body)
        self._add_text(rest)

    def _read_outside(self, message: str) -> None:
        """Outside every block a message is structure only as a whole. [XML-2]"""
        text = message.lstrip(BLANKS)
        if text.rstrip(BLANKS) == DONE:
            return self._close_block()
        open_tag = read_open_tag(text)
        if open_tag is None:
            # A structural closing tag out here closes nothing and says nothing. [XML-14]
            return None if tag_of(closing_name(text)) else self._add_text(message)
        rest = text[open_tag.end :]
        tag = tag_of(open_tag.name)
        if tag is None or not _is_one_element(tag, open_tag, rest):
            return self._add_text(message)
        if tag.shape == "stream":
            return self._begin_block(tag, open_tag, rest)
        if tag.shape == "attribute" or open_tag.is_self_closing:
            return self._add_element(open_tag, "")
        if is_blank(rest):
            self._element = (open_tag, BodyScanner(tag))
            return None
        body = _body_before(tag.closer, rest)
        return self._add_element(open_tag, rest if body is None else body, is_cut=body is None)

    def _begin_block(self, tag: Tag, open_tag: OpenTag, rest: str) -> None:
        self._close_block()
        agent = self._agent_of(tag.type, "", _named_agent(tag, open_tag))
        fields, _ = _fields_of(tag, open_tag, is_cut=False)
        self._block = _OpenBlock(tag, tag.type, agent, fields)
        body = _body_before(tag.closer, rest)
        if not is_blank(rest):
            self._add_text(xml_text.unescape_backslashes(rest if body is None else body))
        if open_tag.is_self_closing or body is not None:
            self._close_block()

    # Writing

    def _add_text(self, text: str) -> None:
        """Adds text to the open block, or as it is outside every block. [XML-14]"""
        kept = text.lstrip(BLANKS) if self._block is None else text
        if kept == "":
            return
        if self._block is None:
            self._block = _OpenBlock(None, "text", self._agent_of("text", ""), {})
        self._write_block(False, kept)

    def _close_block(self, is_cut: bool = False) -> None:
        self._write_block(True, "", {"interrupted": True} if is_cut else {})
        self._block = None

    def _write_block(self, final: bool, delta: str, mark: Optional[Dict[str, Any]] = None) -> None:
        block = self._block
        if block is None:
            return
        base = {"type": block.type, "agent": block.agent, "final": final, "delta": delta}
        self._written.append({**base, **block.fields, **(mark or {})})

    def _add_element(self, open_tag: OpenTag, body: str, is_cut: bool = False) -> None:
        tag = tag_of(open_tag.name)
        assert tag is not None
        self._add(list(_read_element(tag, open_tag, body, is_cut)), _named_agent(tag, open_tag))

    def _add(self, messages: List[Message], named: Optional[str] = None) -> None:
        self._close_block()
        for message in messages:
            agent = self._agent_of(message["type"], message["delta"], named)
            self._written.append({**message, "agent": agent})

    def _take(self) -> List[Message]:
        taken, self._written = self._written, []
        return taken

    def _agent_of(self, type_: str, delta: str, named: Optional[str] = None) -> str:
        """Whose a message is: the start of a run says so for all that follows. [XML-20]"""
        told = _object_in(delta) if type_ == "meta_init" else {}
        expected = told.get("agent_uuid")
        agent = named
        if agent is None:
            agent = expected if isinstance(expected, str) else self._agent or ""
        is_of_root = type_ == "meta_init" and not told.get("parent_agent_uuid")
        if is_of_root or (self._agent is None and (named is None or type_ == "meta_init")):
            self._agent = agent
        return agent


def _is_one_element(tag: Tag, open_tag: OpenTag, rest: str) -> bool:
    """Whether an opening tag and the rest of its message are one element, closed or cut."""
    if is_blank(rest):
        return True
    if open_tag.is_self_closing:
        return False
    body = _body_before(tag.closer, rest)
    if tag.shape == "attribute":
        return body is not None and is_blank(body)
    return body is not None or tag.closer not in rest


def _body_before(closer: str, rest: str) -> Optional[str]:
    trimmed = rest.rstrip(BLANKS)
    return trimmed[: -len(closer)] if trimmed.endswith(closer) else None


def _read_element(tag: Tag, open_tag: OpenTag, body: str, is_cut: bool) -> Iterator[Message]:
    """The messages of an element that does not stream. [XML-13]"""
    if tag.shape == "citations":
        yield from _read_citation_list(tag, body)
        return
    fields, closing = _fields_of(tag, open_tag, is_cut)
    if tag.shape == "attribute":
        raw = open_tag.attributes.get(tag.payload or "", "")
        yield _message(tag.type, True, tag.layer.decode_attribute(raw), closing)
    elif tag.shape == "result":
        yield from _read_tool_result(tag, (fields, closing), body)
    else:
        content = tag.layer.decode_body(body)
        may_be_text = tag.type == "server_tool_result" and not closing.get("interrupted")
        yield _message(tag.type, True, _json_text(content) if may_be_text else content, closing)


def _json_text(content: str) -> str:
    """JSON stays as it is; any other text becomes a JSON string. [XML-23]"""
    try:
        strict_json.loads(content)
        return content
    except ValueError:
        return strict_json.dumps(content)


def _read_tool_result(tag: Tag, told: ElementFields, body: str) -> Iterator[Message]:
    """Images make a result several messages. [XML-11]"""
    fields, closing = told
    text, images = read_result(body)
    if not images:
        yield _message(tag.type, True, text, closing)
        return
    yield _message(tag.type, False, text, fields)
    place = {"id": fields["id"], "name": fields["name"]}
    for attributes in images:
        own = _to_fields("tool_result_image", attributes, tag)
        yield _message("tool_result_image", False, "", {**own, **place})
    yield _message(tag.type, True, "", closing)


def _read_citation_list(tag: Tag, body: str) -> Iterator[Message]:
    """Each citation is one message, final on the last. [XML-12]"""
    citations = list(read_citations(body))
    for index, (attributes, cited) in enumerate(citations):
        is_last = index == len(citations) - 1
        kind = tag.layer.decode_attribute(attributes.get("type") or "unknown")
        fields = {**_to_fields("citation", attributes, tag), "citation_type": kind}
        yield _message("citation", is_last, tag.layer.decode_body(cited), fields)


def _message(type_: str, final: bool, delta: str, fields: Dict[str, Any]) -> Message:
    return {"type": type_, "final": final, "delta": delta, **fields}


def _fields_of(tag: Tag, open_tag: OpenTag, is_cut: bool) -> ElementFields:
    fields = _to_fields(tag.type, open_tag.attributes, tag)
    if tag.tool_name is not None and not open_tag.attributes.get("name"):
        fields["name"] = tag.tool_name
    is_interrupted = fields.pop("interrupted", False) is True or is_cut
    mark = {"interrupted": True} if is_interrupted and tag.type in CUTTABLE else {}
    return fields, {**fields, **mark}


def _to_fields(type_: str, attributes: Dict[str, str], tag: Tag) -> Dict[str, Any]:
    """The extra fields that attributes hold; empty ones are left out unless they are required. [XML-6] [XML-12]"""
    fields: Dict[str, Any] = {name: "" for name in REQUIRED.get(type_, ())}
    for name, raw in attributes.items():
        if name not in RESERVED and name != tag.payload and name != "citation_type" and raw != "":
            fields[name] = _to_value(type_, name, tag.layer.decode_attribute(raw))
    return fields


def _to_value(type_: str, name: str, text: str) -> Any:
    if (type_, name) in FLAGS and text in ("true", "false"):
        return text == "true"
    is_number = name.endswith(("_index", "_number")) and INTEGER.fullmatch(text)
    return int(text) if is_number else text


def _named_agent(tag: Tag, open_tag: OpenTag) -> Optional[str]:
    raw = open_tag.attributes.get("agent")
    return None if raw is None else tag.layer.decode_attribute(raw)


def _read_failure(message: str) -> Optional[Message]:
    """The old server's report of its own failure, without the stack trace that it carried. [XML-16]"""
    report = _object_in(message) if message.startswith(FAILURE_START) else {}
    kind, text = report.get("error"), report.get("message")
    if not isinstance(kind, str) or not isinstance(text, str):
        return None
    return _message("error", True, strict_json.dumps({"type": kind, "message": text}), {})


def _object_in(text: str) -> Dict[str, Any]:
    try:
        value = strict_json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
