"""Server-sent events: bytes, cut anywhere, become events. [SSE-1] [SSE-6]"""

import codecs
import re
from dataclasses import dataclass
from typing import Iterable, Iterator, List, Optional

LINE_END = re.compile(r"\r\n|\r|\n")
DIGITS = re.compile(r"[0-9]+")


@dataclass
class SseEvent:
    """One event of a stream."""

    data: str
    event: Optional[str] = None
    id: Optional[str] = None


class SseDecoder:
    """Takes bytes piece by piece and gives the events that they complete; each byte is looked at once."""

    def __init__(self) -> None:
        self.last_event_id = ""
        self.retry: Optional[int] = None
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        # What the next text may begin with and is no part of a line: a byte order mark,
        # or the LF of a CRLF that was cut.
        self._skip = "\ufeff"
        self._line: List[str] = []
        self._data: Optional[List[str]] = None
        self._event: Optional[str] = None
        self._id: Optional[str] = None

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Takes the next piece; an event that is not ended by an empty line is never told."""
        text = self._utf8.decode(piece)
        if not text:
            return
        start = len(self._skip) if self._skip and text.startswith(self._skip) else 0
        self._skip = "\n" if text.endswith("\r") else ""
        for end in LINE_END.finditer(text, start):
            self._line.append(text[start : end.start()])
            line = "".join(self._line)
            self._line = []
            start = end.end()
            event = self._take_line(line)
            if event is not None:
                yield event
        if start < len(text):
            self._line.append(text[start:])

    def _take_line(self, line: str) -> Optional[SseEvent]:
        if line == "":
            return self._end_event()
        name, _, value = line.partition(":")
        if value.startswith(" "):
            value = value[1:]
        if name == "data":
            self._data = self._data or []
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "event":
            self._event = value or None
        elif name == "retry" and DIGITS.fullmatch(value):
            self.retry = int(value[:15])
        return None

    def _end_event(self) -> Optional[SseEvent]:
        # An id counts only once its event has ended, so that a cut event is asked for again.
        if self._id is not None:
            self.last_event_id = self._id
        data, event, id_ = self._data, self._event, self._id
        self._data = self._event = self._id = None
        return None if data is None else SseEvent("\n".join(data), event, id_)


def decode_events(pieces: Iterable[bytes]) -> Iterator[SseEvent]:
    """The events of a stream that is there in pieces."""
    decoder = SseDecoder()
    for piece in pieces:
        yield from decoder.feed(piece)
