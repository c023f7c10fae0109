"""What a page declares: its routes, its template, its words and its entries in the menus.

    PAGE = Page("matrix", "/matrix", menus=(MenuEntry(MAIN, 20, "nav.matrix"),))

    @PAGE.get()
    def show(request: Request, requester: Anyone) -> Response:
        return PAGE.render(request, cells=...)

    @PAGE.post("/clear")
    def clear(requester: LoggedIn, form: PostedForm) -> Response:
        clear_cells(requester.arena, text(form, "name"))
        return see_other("/matrix", "cleared")          # shows the word told.cleared

The page "matrix" is the files pages/matrix.py, templates/matrix.html and words/matrix.toml; no other file names it.
Its template extends base.html, writes words with t("section.word") and times with when(at), and marks what follows
changes with <section data-live id="…">. A form holds {{ csrf_field() }}.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter, Request
from fastapi.types import DecoratedCallable
from starlette.responses import Response

from icefire.arena.web import rendering
from icefire.arena.web.navigation import MenuEntry


@dataclass(frozen=True)
class Page:
    """A page; the application finds it as the value PAGE of a module in the package pages."""

    name: str
    """Of its template and its words, below templates and words."""
    path: str
    """Its address; other routes of the page stand below it."""
    menus: tuple[MenuEntry, ...] = ()
    guesses: bool = True
    """Whether it shows anything of who has attacked what; one that does not is not fetched again after each guess."""
    router: APIRouter = field(default_factory=lambda: APIRouter(include_in_schema=False))

    @property
    def template(self) -> str:
        """The file below templates."""
        return f"{self.name}.html"

    @property
    def words(self) -> str:
        """The file below words."""
        return f"{self.name}.toml"

    def get(self, below: str = "") -> Callable[[DecoratedCallable], DecoratedCallable]:
        """Register a function that shows the page, or answers to an address below it."""
        return self.router.get(self.path + below)

    def post(self, below: str = "") -> Callable[[DecoratedCallable], DecoratedCallable]:
        """Register a function that takes a form of the page."""
        return self.router.post(self.path + below)

    def render(
        self,
        request: Request,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        with_form: bool = False,
        **values: Any,
    ) -> Response:
        """Answer with the page, its template filled with values. For the other arguments see rendering.render."""
        return rendering.render(
            request,
            self.template,
            values,
            status=status,
            headers=headers,
            with_form=with_form,
            guesses=self.guesses,
        )
