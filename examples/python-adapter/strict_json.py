"""JSON as other languages read it: Python's own reader also takes NaN, and writes infinity."""

import json
import math
from typing import Any

# Longer integers are no longer exact in most languages, and slow to read in this one.
MAX_INTEGER_DIGITS = 300


def loads(text: str) -> Any:
    """Reads a JSON text; raises ValueError for anything else, however deeply it is nested."""
    try:
        return json.loads(
            text,
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dumps(value: Any) -> str:
    """Writes a value on one line; halves of surrogate pairs survive as their escapes."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _parse_int(digits: str) -> Any:
    return int(digits) if len(digits) <= MAX_INTEGER_DIGITS else _parse_float(digits)


def _parse_float(digits: str) -> Any:
    number = float(digits)
    # 1e400 is valid JSON, but no number that could be written again.
    return number if math.isfinite(number) else None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
