"""The page of a report, parsed."""

from __future__ import annotations

from html.parser import HTMLParser

from icefire.core.scorecard import Scorecard
from icefire.report import html

VOID = {"meta", "br", "link", "img", "hr", "wbr"}


class Page(HTMLParser):
    """What is on a page: its words, its tags, and whether tags close in order."""

    def __init__(self, card: Scorecard) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.source = html.render(card)
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th", "dt", "dd"):
            self.words.append(" ")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        joined = "".join(self.words).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
        return " ".join(joined.split())

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag in names]
