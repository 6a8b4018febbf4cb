"""Speaks the adapter protocol of Millrace on stdin and stdout, for a reader of its streams in Python.

    millrace conformance -- python3 adapter.py
"""

import base64
import sys
from typing import Any, Callable, Dict, Iterator, List

import strict_json
from envelope import NotAnEnvelope, decode_envelope
from legacy_xml import LegacyXmlDecoder
from sse import SseDecoder, decode_events
from transcript import Transcript
from view import to_view

Json = Dict[str, Any]

DONE = "[DONE]"


def sse_decode(_given: Json, pieces: List[bytes]) -> Json:
    """Bytes become events."""
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return {
        "events": [{"data": event.data, "event": event.event, "id": event.id} for event in events],
        "last_event_id": decoder.last_event_id,
        "retry": decoder.retry,
    }


def envelopes_to_ui(given: Json, pieces: List[bytes]) -> Json:
    """Messages become what a person sees."""
    transcript = Transcript()
    is_done = False
    for event in decode_events(pieces):
        is_done = event.data == DONE
        if is_done:
            transcript.end()
            continue
        try:
            message = decode_envelope(event.data)
        except NotAnEnvelope as problem:
            transcript.fail_foreign(str(problem))
            return to_view(transcript)
        transcript.take(message, int(event.id) if event.id and event.id.isdecimal() else None)
    if given.get("closed") is True and not is_done:
        transcript.cut()
    return to_view(transcript)


def xml_to_json(_given: Json, pieces: List[bytes]) -> Json:
    """Legacy XML becomes messages."""
    decoder = LegacyXmlDecoder()
    messages = [message for event in decode_events(pieces) for message in decoder.feed(event.data)]
    return {"messages": messages + decoder.finish()}


KINDS: Dict[str, Callable[[Json, List[bytes]], Json]] = {
    "envelopes_to_ui": envelopes_to_ui,
    "sse_decode": sse_decode,
    "xml_to_json": xml_to_json,
}


def answer(task: Json) -> Json:
    """Does one task; an exception is an answer too."""
    to_output = KINDS.get(task["kind"])
    if to_output is None:
        return {"id": task["id"], "unsupported": f"the kind {task['kind']}"}
    try:
        pieces = [base64.b64decode(piece) for piece in task["bytes_b64"]]
        return {"id": task["id"], "output": to_output(task["input"], pieces)}
    except Exception as problem:
        return {"id": task["id"], "error": f"{type(problem).__name__}: {problem}"}


def read_lines() -> Iterator[str]:
    """The lines of stdin, split at LF only: JSON leaves other line separators as they are."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8")


def write_line(value: Json) -> None:
    """Writes a line at once: the runner waits for it."""
    sys.stdout.write(strict_json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    hello = {
        "protocol": 1,
        "name": "python-adapter",
        "version": "1.0.0",
        "kinds": sorted(KINDS),
        "units": "code_points",
    }
    write_line({"hello": hello})
    for line in read_lines():
        write_line(answer(strict_json.loads(line)))


if __name__ == "__main__":
    main()
