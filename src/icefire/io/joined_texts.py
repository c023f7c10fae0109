"""Text files of a pattern or folder, as one: the rows of all of them under the header that they share."""

from __future__ import annotations

from pathlib import Path

from icefire.core.errors import InputError, ParameterError
from icefire.io import encodings
from icefire.io.addresses import Place
from icefire.io.format import Format


def with_joined_text(place: Place, how: Format) -> tuple[Place, str]:
    """Return the place with the rows of all files of a pattern or folder, and how many files they are, in words.

    Raises:
        InputError: If the files begin with different headers.
    """
    if place.scheme is not None or place.content is not None or not (place.is_pattern or place.path.is_dir()):
        return place, ""
    listed = place.files()
    if len(listed) == 1:
        return Place(str(listed[0])), ""
    if how.skip or how.comment:
        raise ParameterError("--skip and --comment are for one file; remove these lines, or give one file")
    texts = [_text(path, how) for path in listed]
    if how.has_header:
        texts = _under_one_header(place, listed, texts)
    return Place(place.address, "".join(texts).encode()), f", {len(listed):,} files"


def _text(path: Path, how: Format) -> str:
    text = encodings.decode(path.read_bytes(), path.name, how.encoding).text.removeprefix("\ufeff")
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    return text if text.endswith("\n") else f"{text}\n"


def _under_one_header(place: Place, listed: list[Path], texts: list[str]) -> list[str]:
    """Leave out the first line of all files but the first; it must be the same in all."""
    headers = [text.partition("\n")[0] for text in texts]
    other = next((number for number, header in enumerate(headers) if header.strip() != headers[0].strip()), None)
    if other is not None:
        raise InputError(
            f"the {len(listed):,} files of {place.shown!r} have different columns ({listed[other].name!r} begins with "
            f"another line than {listed[0].name!r}); give files of one table"
        )
    return [texts[0], *(text.partition("\n")[2] for text in texts[1:])]
