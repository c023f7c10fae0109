"""A page is its module, its template and its words; routes, menus and languages find it by themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.arena.pages import browsers, teams  # noqa: F401

from icefire.arena import web
from icefire.arena.web import languages, pages, templating
from icefire.arena.web.pages import admin as admin_pages

MODULE = """
from fastapi import Request
from starlette.responses import Response

from icefire.arena.web.navigation import ADMIN, MAIN, MenuEntry, organisers
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Anyone

PAGE = Page("{name}", "{path}", menus=({menu},))


@PAGE.get()
def show(request: Request, requester: Anyone) -> Response:
    return PAGE.render(request, whom="<Ann>")
"""
TEMPLATE = """{% extends "base.html" %}
{% block main %}<h1>{{ t("hello.greeting", whom=whom) }}</h1>{% endblock %}
"""
WORDS = """
[nav]
hello.en = "Hello"
hello.ja = "挨拶"

[hello]
greeting.en = "Good morning, {whom}"
greeting.ja = "おはよう、{whom}"
"""
MAIN_ENTRY = 'MenuEntry(MAIN, 45, "nav.hello")'
ADMIN_ENTRY = 'MenuEntry(ADMIN, 35, "desk.hello", shown_to=organisers)'


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A second place of the package, empty so far."""
    for package, below in ((web, ""), (pages, "pages"), (admin_pages, "pages/admin")):
        (tmp_path / below).mkdir(exist_ok=True)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / below)])
    for below in ("templates", "words", "templates/admin", "words/admin"):
        (tmp_path / below).mkdir()
    loader = templating.ENVIRONMENT.loader
    monkeypatch.setattr(loader, "searchpath", [*loader.searchpath, str(tmp_path / "templates")])
    languages.words_in.cache_clear()
    known = set(sys.modules)
    yield tmp_path
    languages.words_in.cache_clear()
    for name in set(sys.modules) - known:
        del sys.modules[name]


def test_a_new_page_is_three_files(arena, teams, place):
    (place / "pages/hello.py").write_text(MODULE.format(name="hello", path="/hello", menu=MAIN_ENTRY))
    (place / "templates/hello.html").write_text(TEMPLATE)
    (place / "words/hello.toml").write_text(WORDS)
    visitor = browsers(arena)()
    assert "<h1>Good morning, &lt;Ann&gt;</h1>" in visitor.get("/hello")
    assert "<h1>おはよう、&lt;Ann&gt;</h1>" in visitor.get("/hello?lang=ja")
    home = visitor.get("/?lang=en")
    assert home.index('<a href="/pictures"') < home.index('<a href="/hello">Hello</a>') < home.index('<a href="/rules"')
    assert '<a href="/hello" aria-current="page">挨拶</a>' in visitor.get("/hello?lang=ja")


def test_a_new_page_of_the_desk_is_three_files_too(arena, teams, place):
    (place / "pages/admin/hello.py").write_text(MODULE.format(name="admin/hello", path="/desk/hello", menu=ADMIN_ENTRY))
    (place / "templates/admin/hello.html").write_text(TEMPLATE)
    (place / "words/admin/hello.toml").write_text(WORDS.replace("[nav]", "[desk]"))
    browse = browsers(arena)
    desk = browse(teams["olga"]).get("/desk")
    assert desk.index('<a href="/desk/accounts"') < desk.index('<a href="/desk/hello">Hello</a>')
    assert "Good morning" in browse(teams["olga"]).get("/desk/hello")
    assert "/desk/hello" not in browse(teams["judge"]).get("/desk"), "the entry is for organisers"


@pytest.mark.parametrize("missing", ["templates/hello.html", "words/hello.toml"])
def test_a_page_without_its_template_or_its_words_is_told_at_the_start(arena, place, missing):
    (place / "pages/hello.py").write_text(MODULE.format(name="hello", path="/hello", menu=MAIN_ENTRY))
    (place / "templates/hello.html").write_text(TEMPLATE)
    (place / "words/hello.toml").write_text(WORDS)
    (place / missing).unlink()
    folder, name = missing.split("/")
    with pytest.raises(FileNotFoundError, match=f"there is no file {name} in {folder}"):
        browsers(arena)


def test_a_word_is_defined_once(place):
    (place / "words/again.toml").write_text('[rules]\ntitle.en = "Rules"\ntitle.ja = "規則"\n')
    with pytest.raises(ValueError, match=r"again\.toml: the word rules\.title is defined in another file already"):
        languages.read("en")


def test_no_template_and_no_words_are_left_over():
    names = {page.name for page in pages.discover()}
    templates, words = (_stems(kind, ending) for kind, ending in (("templates", "html"), ("words", "toml")))
    shared = {"base", "play", "error", "admin/frame"}
    assert {one for one in templates if not Path(one).name.startswith("_")} == names | shared | {
        "macros",
        "teamless",
        "oidc",
        "unavailable",
    }
    assert words - {"said_ja"} == names | shared


def _stems(kind: str, ending: str) -> set[str]:
    (folder,) = web.folders(kind)
    return {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*.{ending}")}
