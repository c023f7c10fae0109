"""Random identifiers and secrets, their digests, and the skeletons by which names are compared."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from functools import cache

_MARKS = ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""Marks over and under letters, and variants of them."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0")
"""Characters that are letters or signs to Unicode and show nothing."""

_LETTERS = str.maketrans({"5": "s", "$": "s", "2": "z", "8": "b", "9": "g", "@": "a", "!": "l"})
"""Signs that are read as a letter, no two digits as the same one: numbered teams stay apart. 0 and 1 are in every
skeleton."""


def new_id() -> str:
    """Return a fresh identifier: 128 random bits, safe in an address and as a file name."""
    return secrets.token_hex(16)


def new_secret() -> str:
    """Return a fresh password-like secret: 256 random bits."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """Return what is stored of a random secret; from it the secret cannot be found."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in constant time; any text may be given, also what is no ASCII."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def folded_name(name: str) -> str:
    """Return what names are sorted and searched by: case, width and stray spaces make no difference."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def name_key(name: str) -> str:
    """Return the skeleton by which a name is found; two names with one skeleton look alike.

    Case, width, blanks, what cannot be seen and marks make no difference, nor do small letters that Unicode lists as
    confusable (Cyrillic а and Latin a, 1 and l, rn and m). A capital I looks like a small l, so i and l are one.
    """
    return _skeleton(_small(name))


def look_alike(one: str, other: str) -> bool:
    """Tell whether two names look alike in small or in capital letters; 5now looks like Snow.

    Names are found by `name_key`, in which such a digit is another sign than the letter.
    """
    return any(_read_as_letters(_skeleton(form(one))) == _read_as_letters(_skeleton(form(other))) for form in _FORMS)


def _small(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _capital(name: str) -> str:
    return unicodedata.normalize("NFKC", name).upper()


_FORMS = (_small, _capital)


def _read_as_letters(skeleton: str) -> str:
    return skeleton.translate(_LETTERS)


def _skeleton(text: str) -> str:
    seen = (sign for sign in text if not (invisible(sign) or _mark(sign) or sign.isspace()))
    plain = "".join(_prototypes().get(sign, sign) for sign in seen).casefold()
    return plain.replace("rn", "m").replace("vv", "w").replace("i", "l").replace("0", "o")


def invisible(sign: str) -> bool:
    """Tell a character that shows nothing and is no space."""
    return unicodedata.category(sign)[0] == "C" or sign in _BLANK


def _mark(sign: str) -> bool:
    return any(first <= ord(sign) <= last for first, last in _MARKS)


@cache
def _prototypes() -> dict[str, str]:
    """Return one representative for every character that Unicode (TR39) lists as confusable with others."""
    from confusable_homoglyphs.confusables import confusables_data

    plainest: dict[str, str] = {}
    for sign, others in confusables_data.items():
        alike = {sign, *(one["c"] for one in others)}
        first = min(alike, key=_plainness)
        for one in alike:
            plainest[one] = min(plainest.get(one, first), first, key=_plainness)
    return {one: first for one, first in plainest.items() if len(one) == 1 and one != first}


def _plainness(text: str) -> tuple[bool, bool, int, str]:
    """Order look-alikes: ASCII first, letters before digits, short before long."""
    return not text.isascii(), not text.isalpha(), len(text), text


def new_label() -> str:
    """Return a short name for a release that tells nothing about its author or age."""
    return "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXYZ23456789") for _ in range(5))
