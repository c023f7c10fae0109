"""A keyed one-to-one mapping that keeps the format: digits become digits, letters letters of the same case.

A Feistel network (as in NIST's FF1, with HMAC-SHA256 as the round function): the characters are cut in two halves,
each read as a number; in turn one half is increased by a keyed function of the other, modulo its own range. Each
round can be undone, so values of one shape are mapped one to one onto values of the same shape.
"""

from __future__ import annotations

import hmac
from math import prod

ROUNDS = 10
DIGITS, LOWER, UPPER = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def mapped(text: str, secret: bytes, whole: bool = False) -> str:
    """Map one value; `whole` keeps the first digit of a longer number from becoming 0."""
    alphabets = _alphabets(text, whole)
    places = [i for i, alphabet in enumerate(alphabets) if alphabet]
    used = [alphabets[i] for i in places]
    digits = [alphabet.index(text[i]) for i, alphabet in zip(places, used, strict=True)]
    sizes = [len(alphabet) for alphabet in used]
    characters = list(text)
    for i, alphabet, digit in zip(
        places, used, _encrypted(digits, sizes, _shape(text, alphabets), secret), strict=True
    ):
        characters[i] = alphabet[digit]
    return "".join(characters)


def foreign(text: str) -> bool:
    """Tell whether a value holds a letter or digit that has no place in the three alphabets."""
    return any(c.isalnum() and c not in DIGITS + LOWER + UPPER for c in text)


def _alphabets(text: str, whole: bool) -> list[str]:
    """What each character may become; empty for one that stays."""
    allowed = [next((a for a in (DIGITS, LOWER, UPPER) if c in a), "") for c in text]
    if whole and allowed.count(DIGITS) > 1:
        allowed[allowed.index(DIGITS)] = DIGITS[1:]
    return allowed


def _shape(text: str, alphabets: list[str]) -> str:
    """The format: what all values that are mapped among themselves have in common."""
    return "".join(alphabet[-1] if alphabet else c for c, alphabet in zip(text, alphabets, strict=True))


def _encrypted(digits: list[int], sizes: list[int], shape: str, secret: bytes) -> list[int]:
    half = len(digits) // 2
    parts = [_joined(digits[:half], sizes[:half]), _joined(digits[half:], sizes[half:])]
    ranges = [prod(sizes[:half]), prod(sizes[half:])]
    for turn in range(ROUNDS):
        side = turn % 2
        message = f"{turn}|{parts[1 - side]}|{shape}".encode()
        step = int.from_bytes(hmac.digest(secret, message, "sha256"), "big")
        parts[side] = (parts[side] + step) % ranges[side]
    return [*_split(parts[0], sizes[:half]), *_split(parts[1], sizes[half:])]


def _joined(digits: list[int], sizes: list[int]) -> int:
    number = 0
    for digit, size in zip(digits, sizes, strict=True):
        number = number * size + digit
    return number


def _split(number: int, sizes: list[int]) -> list[int]:
    digits = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        digits.append(digit)
    return digits[::-1]
