"""JSON that has not come to its end, as a value: what is certain of it so far."""

import json
import re
from typing import Any, Dict, List, Optional, Union

import strict_json

TOKEN = re.compile(r'[ \t\r\n]*(?:([{}\[\],:])|("(?:[^"\\\x00-\x1f]|\\.)*"?)|([^{}\[\],:"\s]+))', re.S)
TORN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")

Container = Union[Dict[str, Any], List[Any]]


def read_partial(text: str) -> Optional[Any]:
    """Reads as much as there is: an open string shows what has come, a key, number or literal not yet whole does not."""
    try:
        return strict_json.loads(text)
    except ValueError:
        return _Reader(text).read()


class _Reader:
    """Reads tokens from left to right, and stops at the first that cannot stand where it is."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: List[Container] = []
        self._key: Optional[str] = None
        self._value: Optional[Any] = None
        # What may come next: a value, a key, a colon, or what follows a value.
        self._expected = "value"

    def read(self) -> Optional[Any]:
        at = 0
        while self._expected != "end":
            token = TOKEN.match(self._text, at)
            if token is None:
                break
            at = token.end()
            mark, string, other = token.groups()
            try:
                is_right = self._take(mark, string, other, is_last=at == len(self._text))
            except ValueError:
                break
            if not is_right:
                break
        return self._value

    def _take(self, mark: str, string: str, other: str, is_last: bool) -> bool:
        if mark:
            return self._take_mark(mark)
        return self._take_string(string) if string else self._take_other(other, is_last)

    def _take_mark(self, mark: str) -> bool:
        if mark in "{[":
            return self._expected in ("value", "value or ]") and self._descend({} if mark == "{" else [])
        if mark == ":":
            return self._move("colon", "value")
        if mark == ",":
            is_list = bool(self._open) and isinstance(self._open[-1], list)
            return self._move("comma", "value" if is_list else "key")
        return self._ascend(mark)

    def _move(self, expected: str, then: str) -> bool:
        is_right = self._expected == expected
        self._expected = then
        return is_right

    def _descend(self, container: Container) -> bool:
        self._put(container)
        self._open.append(container)
        self._expected = "key or }" if isinstance(container, dict) else "value or ]"
        return True

    def _ascend(self, mark: str) -> bool:
        kind = dict if mark == "}" else list
        may_end = self._expected in ("comma", f"key or {mark}", f"value or {mark}")
        if not (may_end and self._open and isinstance(self._open[-1], kind)):
            return False
        self._open.pop()
        self._expected = "comma" if self._open else "end"
        return True

    def _take_string(self, string: str) -> bool:
        is_whole = len(string) > 1 and string.endswith('"') and not _ends_in_escape(string)
        if self._expected.startswith("key"):
            if is_whole:
                self._key, self._expected = json.loads(string), "colon"
            return is_whole
        if not self._expected.startswith("value"):
            return False
        self._put(json.loads(string if is_whole else _close(string)))
        self._expected = "comma" if self._open else "end"
        return is_whole

    def _take_other(self, other: str, is_last: bool) -> bool:
        # More digits may follow a number at the end.
        if is_last or not self._expected.startswith("value"):
            return False
        self._put(strict_json.loads(other))
        self._expected = "comma" if self._open else "end"
        return True

    def _put(self, value: Any) -> None:
        if not self._open:
            self._value = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            self._open[-1][self._key or ""] = value


def _ends_in_escape(string: str) -> bool:
    """Whether the quote at the end is itself escaped."""
    return (len(string) - 1 - len(string[:-1].rstrip("\\"))) % 2 == 1


def _close(string: str) -> str:
    """Ends a string that was cut, without the escape that was cut with it."""
    torn = TORN_ESCAPE.search(string)
    if torn is not None and not _ends_in_escape(string[: torn.start()] + '"'):
        string = string[: torn.start()]
    return string + '"'
