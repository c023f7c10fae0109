"""Templates in the language in use: the words between the tags, and those handed to macros, are translated on loading.

Templates are written in English; the translations stand in the word files (`icefire.words.said`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from icefire.words import said

LETTER = re.compile(r"[A-Za-z]")
SENTENCE = re.compile(r"[A-Z].*|.* .*", re.DOTALL)
"""A string in a template is shown to people if it begins with a capital or has a space; others are names."""


class TranslatedTemplates(Extension):
    """Translates the literal words of a template."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Return the parts of a template, words in the language in use."""
        inside_tag = False
        for token in stream:
            if token.type == "data":
                parts, inside_tag = text_parts(token.value, inside_tag)
                yield Token(token.lineno, "data", "".join(translated(text) if words else text for text, words in parts))
            elif token.type == "string" and SENTENCE.fullmatch(token.value):
                yield Token(token.lineno, "string", translated(token.value))
            else:
                yield token


def text_parts(source: str, inside_tag: bool) -> tuple[list[tuple[str, bool]], bool]:
    """Split HTML into tags and text: each part, and whether it is text; then whether the end is inside a tag."""
    parts: list[tuple[str, bool]] = []
    for piece in re.split(r"(<|>)", source):
        if piece in ("<", ">"):
            inside_tag = piece == "<"
            parts.append((piece, False))
        elif piece:
            parts.append((piece, not inside_tag))
    return parts, inside_tag


def translated(text: str) -> str:
    """Translate words, leaving the space around them."""
    words = " ".join(text.split())
    if not LETTER.search(words) and words != ".":
        return text
    translation = said(words)
    return text if translation == words else text.replace(text.strip(), translation)
