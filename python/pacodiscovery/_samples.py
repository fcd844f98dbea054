"""What comes with samples for people to see: texts, attributes, pictures, as a journal keeps them."""

from __future__ import annotations

import json
from typing import Any, Sequence

from .errors import InputError
from .operations import plain

MOST_ATTRIBUTES = 4096  # bytes of JSON of one sample
MOST_PICTURE = 256 * 1024  # bytes
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF")


def _listed(given: Any, rows: int, what: str) -> list[Any]:
    if given is None:
        return [None] * rows
    if isinstance(given, (str, bytes, dict)):
        raise InputError(f"{what} is one {type(given).__name__}", "give one for every sample, e.g. a list", "bad_argument")
    out = list(given)
    if len(out) != rows:
        raise InputError(f"{len(out)} {what} for {rows} samples", "give one for every sample, or none", "bad_shape")
    return out


def attributes_of(text: Any, attributes: Any) -> dict[str, Any]:
    """The attributes of one sample, its text among them."""
    if attributes is not None and not isinstance(attributes, dict):
        raise InputError(f"attributes are a dict, not {type(attributes).__name__}", 'e.g. {"camera": "north"}', "bad_argument")
    out = dict(attributes or {})
    if text is not None:
        if not isinstance(text, str):
            raise InputError(f"a text is text, not {type(text).__name__}", "", "bad_argument")
        out["text"] = text
    return out


def _attribute_text(text: Any, attributes: Any) -> str:
    found = attributes_of(text, attributes)
    if not found:
        return ""
    try:
        written = json.dumps(found, default=plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"attributes are numbers and text: {error}", "", "bad_argument") from error
    if len(written) <= MOST_ATTRIBUTES:
        return written
    if not isinstance(text, str):
        raise InputError(f"attributes of {len(written)} bytes", f"{MOST_ATTRIBUTES} at most", "bad_value")
    return _attribute_text(text[: len(text) * 3 // 4], attributes)  # people see the beginning of a long text


def _picture(given: Any) -> bytes:
    if given is None:
        return b""
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise InputError(f"a picture is the bytes of a file, not {type(given).__name__}", "e.g. path.read_bytes()", "bad_argument")
    data = bytes(given)
    if not data.startswith(_PICTURES):
        raise InputError("a picture is no JPEG, PNG or WebP", "give the bytes of such a file", "bad_value")
    if len(data) > MOST_PICTURE:
        raise InputError(f"a picture of {len(data)} bytes", f"{MOST_PICTURE} at most: make it smaller", "bad_value")
    return data


def extras(texts: Any, attributes: Any, pictures: Any, rows: int) -> tuple[Sequence[str], Sequence[bytes]]:
    """For every sample a JSON object and a picture, empty where there is none."""
    shown = [] if texts is None and attributes is None else [
        _attribute_text(text, one) for text, one in zip(_listed(texts, rows, "texts"), _listed(attributes, rows, "attributes"))]
    return shown, [] if pictures is None else [_picture(one) for one in _listed(pictures, rows, "pictures")]
