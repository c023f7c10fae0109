"""Encodings of text files: found by strict decoding and by how plausible the characters are, or named by the user."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from icefire.core.errors import InputError

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CANDIDATES = ("cp932", "euc_jp", "cp1252")
ESCAPED = ("iso2022_jp", "iso2022_jp_ext", "iso2022_jp_2004")
"""Encodings of seven bits, which change the alphabet by an escape sign; ASCII to a reader who does not know them."""
_ESCAPE = re.compile(rb"\x1b(?:\$[@B(]|\([JI])")
TITLES = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 (LE)",
    "utf-16-be": "UTF-16 (BE)",
    "utf-32": "UTF-32",
    "cp932": "CP932 (Shift-JIS)",
    "euc_jp": "EUC-JP",
    "cp1252": "CP1252 (Latin-1)",
} | dict.fromkeys(ESCAPED, "ISO-2022-JP")
SAMPLE_BYTES = 1 << 18
PLAUSIBLE, CLEAR_LEAD = 0.6, 0.1
"""Share of plausible characters an encoding needs, and its lead over the second best."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text and the encoding it was in."""

    text: str
    encoding: str
    is_given: bool = False

    @property
    def title(self) -> str:
        """Name of the encoding, for people."""
        return TITLES.get(self.encoding, self.encoding)


def decode(content: bytes, table: str, encoding: str | None = None) -> DecodedText:
    """Decode the bytes of a text file.

    Raises:
        InputError: If the encoding given does not fit, or none can be told with confidence.
    """
    if encoding is not None:
        return _decode_as(content, table, encoding)
    for mark, name in MARKS:
        if content.startswith(mark):
            return DecodedText(_strict(content, name, table), name)
    if b"\x00" in content[:SAMPLE_BYTES]:
        return _without_mark(content, table)
    if is_escaped(content):
        return _by_escapes(content, table)
    try:
        return DecodedText(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _by_plausibility(content, table)


def is_escaped(content: bytes) -> bool:
    """Tell whether a text changes the alphabet by escape signs."""
    return _ESCAPE.search(content) is not None


def _by_escapes(content: bytes, table: str) -> DecodedText:
    for name in ESCAPED:
        try:
            return DecodedText(content.decode(name), name)
        except UnicodeDecodeError:
            continue
    raise InputError(
        f"file {table!r} looks like ISO-2022-JP, but cannot be read so; save it as UTF-8, or name its encoding with "
        "--encoding"
    )


def is_known(encoding: str) -> bool:
    """Tell whether there is such an encoding."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        return False
    return True


def _decode_as(content: bytes, table: str, encoding: str) -> DecodedText:
    if not is_known(encoding):
        raise InputError(
            f"--encoding {encoding!r} is not known; give a name such as utf-8, utf-16, cp932, euc_jp or cp1252"
        )
    name = codecs.lookup(encoding).name
    name = {"utf-8": "utf-8-sig", "shift_jis": "cp932"}.get(name, name)
    text = _strict(content, name, table)
    return DecodedText(text.removeprefix("\ufeff"), name, is_given=True)


def _strict(content: bytes, encoding: str, table: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"file {table!r} is not {TITLES.get(encoding, encoding)} (byte {error.start}); "
            "name its encoding with --encoding, such as cp932 or cp1252"
        ) from None


def _without_mark(content: bytes, table: str) -> DecodedText:
    """Tell UTF-16 without a mark by where the zero bytes of digits, separators and line ends stand."""
    sample = content[: SAMPLE_BYTES - SAMPLE_BYTES % 2]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    name = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = content.decode(name)
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" in text or "\n" not in text or min(even, odd) * 10 > max(even, odd):
        place = content.index(b"\x00")
        raise InputError(
            f"file {table!r} is not text: byte {place} is NUL; CSV must be text, other tables end in .parquet, .arrow, "
            ".xlsx and the like; or name its encoding with --encoding"
        )
    return DecodedText(text, name)


def _by_plausibility(content: bytes, table: str) -> DecodedText:
    sample = _lines_with_high_bytes(content)
    scores = {}
    for name in CANDIDATES:
        try:
            scores[name] = plausibility(sample.decode(name), name)
        except UnicodeDecodeError:
            continue
    for name in sorted(scores, key=lambda one: -scores[one]):
        others = [score for other, score in scores.items() if other != name]
        if scores[name] < PLAUSIBLE or scores[name] < max(others, default=0.0) + CLEAR_LEAD:
            break
        try:
            text = content.decode(name)
        except UnicodeDecodeError:
            del scores[name]
            continue
        if name == "cp1252":
            _check_one_encoding(content, table)
        return DecodedText(text, name)
    possible = ", ".join(scores) or "none of those that are looked for"
    raise InputError(
        f"file {table!r} is not UTF-8, and its encoding cannot be told with confidence (possible: {possible}); "
        "name it with --encoding, such as --encoding cp932 or --encoding cp1252"
    )


def _check_one_encoding(content: bytes, table: str) -> None:
    """Refuse a text of which some letters are in UTF-8 and others are not: one name would be read as two."""
    for run in re.finditer(rb"[\x80-\xff]+", content):
        try:
            letters = run.group().decode("utf-8")
        except UnicodeDecodeError:
            continue
        line = content.count(b"\n", 0, run.start()) + 1
        raise InputError(
            f"file {table!r} mixes encodings: line {line} holds {letters!r} in UTF-8, other lines are not UTF-8; save "
            "all of it in one encoding, or name one with --encoding, such as --encoding cp1252"
        )


def _lines_with_high_bytes(content: bytes) -> bytes:
    """Return lines that are not plain ASCII, whole ones, up to the size of a sample."""
    lines, size = [], 0
    for line in re.finditer(rb"[^\n]*[\x80-\xff][^\n]*\n?", content):
        lines.append(line.group())
        size += len(line.group())
        if size >= SAMPLE_BYTES:
            break
    return b"".join(lines)


def plausibility(text: str, encoding: str) -> float:
    """Return how plausible the characters beyond ASCII are, on average, from 0 to 1."""
    japanese = encoding in ("cp932", "euc_jp")
    runs = re.findall(r"([\x00-\x7f]?)([^\x00-\x7f]+)(?=([\x00-\x7f]?))", text)
    total = sum(len(run) for _, run, _ in runs)
    if total == 0:
        return 0.0
    weigh = _japanese_run if japanese else _latin_run
    return sum(weigh(before, run, after) for before, run, after in runs) / total


def _japanese_run(before: str, run: str, after: str) -> float:
    weight = sum(_japanese_weight(character) for character in run)
    is_inside_word = len(run) == 1 and (before.isalpha() or after.isalpha())
    return 0.2 * weight if is_inside_word else weight


def _japanese_weight(character: str) -> float:
    """Weigh one character: kana and the 2,965 commoner kanji fully, rarer ones little."""
    if "\u3041" <= character <= "\u30ff" or character in "々〇、。「」・":
        return 1.0
    if "\uff61" <= character <= "\uff9f":
        return 0.7
    if "\uff01" <= character <= "\uff5e" or character in "　￥〒～－ー":
        return 0.9
    try:
        lead = character.encode("euc_jp")[0]
    except UnicodeEncodeError:
        return 0.1
    return 1.0 if 0xB0 <= lead <= 0xCF else 0.3


def _latin_run(before: str, run: str, after: str) -> float:
    """Letters with accents stand inside words, one or two together; signs such as € stand apart."""
    weight = 0.0
    for character in run:
        if character.isalpha() and character not in "ªºƒ":
            weight += 1.0 if len(run) <= 2 else 0.3
        elif character in "€£§°´’‘“”„–—…\u00a0«»·®©½²³µ":
            weight += 0.9 if len(run) <= 2 else 0.3
        elif character == "¥":
            weight += 0.5
        else:
            weight += 0.1
    return weight
