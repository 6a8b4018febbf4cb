"""The messages of the wire, and the fields that go on from one message to the next."""

from typing import Any, Dict, List, Tuple

import strict_json

Message = Dict[str, Any]

SHOWN_CHARS = 120


class NotAnEnvelope(ValueError):
    """A line of the stream is no message. [ENV-10]"""


def decode_envelope(line: str) -> Message:
    """Reads one line; types and fields that nobody knows pass unchanged. [ENV-1] [ENV-9]"""
    try:
        value = strict_json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise NotAnEnvelope(f"Not an envelope: {line[:SHOWN_CHARS]}")
    has_texts = all(isinstance(value.get(field), str) for field in ("type", "agent", "delta"))
    if has_texts and isinstance(value.get("final"), bool):
        return value
    # Older servers report their own failure as a bare object with a message.
    raise NotAnEnvelope(str(value.get("message", f"Not an envelope: {line[:SHOWN_CHARS]}")))


class Continued:
    """Joins a message with those that it goes on in. [CHUNK-5]

    Pieces are kept apart until a field is whole, so that many of them cost no more than their length.
    """

    def __init__(self) -> None:
        self.fields: Message = {}
        self._pieces: Dict[str, Tuple[str, List[str]]] = {}

    def add(self, message: Message, more: Dict[str, str]) -> Message:
        """Takes the next message, and gives it with all fields that are whole by now.

        Raises ValueError if a field of JSON has lost a piece.
        """
        joined = self._finish_fields(message, more)
        for field, value in message.items():
            if field == "more" or field in self._pieces or field in joined:
                continue
            if field in more:
                self._pieces[field] = (more[field], [_text(value)])
            else:
                self.fields[field] = value
        self.fields.update(joined)
        return self.fields

    def open_pieces(self, field: str) -> List[str]:
        """The pieces of a field that still goes on; the list grows with it."""
        return self._pieces[field][1] if field in self._pieces else []

    def _finish_fields(self, message: Message, more: Dict[str, str]) -> Message:
        joined: Message = {}
        for field, (kind, pieces) in list(self._pieces.items()):
            pieces.append(_text(message.get(field)))
            if field in more:
                continue
            del self._pieces[field]
            text = "".join(pieces)
            joined[field] = strict_json.loads(text) if kind == "json" else text
        return joined


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
