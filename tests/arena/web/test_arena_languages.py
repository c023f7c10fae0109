"""English and Japanese: the same words, and every refusal in both."""

from __future__ import annotations

import ast
import re
import string
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from markupsafe import Markup
from support.arena.web import _quick_passwords, log_in, web  # noqa: F401

from icefire import arena as arena_package
from icefire.arena.errors import Refused
from icefire.arena.web import languages, sentences, templating, times

# --- languages


def test_both_languages_have_the_same_words_with_the_same_values():
    english, japanese = (languages.read(name) for name in ("en", "ja"))
    assert english.keys() == japanese.keys()
    for key, word in english.items():
        told = japanese[key]
        assert isinstance(word, str) == isinstance(told, str), key
        one, other = (each if isinstance(each, str) else each["other"] for each in (word, told))
        assert placeholders(one) == placeholders(other), key


def placeholders(text: str) -> set[str]:
    """The names of the values a word needs."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_word_a_template_asks_for_is_there():
    known = languages.read("en")
    folder = Path(templating.__file__).parent / "templates"
    asked = {
        (path.name, key)
        for path in folder.rglob("*.html")
        for key in re.findall(r"""\bt(?:\.plain)?\(["']([\w.]+)["'][,)]""", path.read_text(encoding="utf-8"))
    }
    assert len(asked) > 100
    assert sorted(one for one in asked if one[1] not in known) == []


def test_words_are_escaped_and_counted():
    words = languages.words_in("en")
    assert words("home.why", rate="3 %", by="<b>") == "3 % identified at most, by &lt;b&gt;"
    assert words("home.why", rate="3 %", by=Markup("<b>x</b>")).endswith("<b>x</b>")
    assert words("home.why_fire", identified=1, tests=1000, n=1) == "identified 1 of 1,000 records in 1 release"
    assert words("home.why_fire", identified=1, tests=1000, n=2).endswith("in 2 releases")


@pytest.mark.parametrize(
    ("asked", "cookie", "accepted", "spoken"),
    [
        ("ja", "en", "en", "ja"),
        (None, "ja", "en", "ja"),
        ("xx", "../ja", "ja;q=0.2, en-GB;q=0.7", "en"),
        (None, None, "fr, ja-JP;q=0.9, en;q=0.5", "ja"),
        (None, None, "ja;q=0, *", "en"),
        (None, None, "", "en"),
        (None, None, ";;;q=x,,ja;q=", "en"),
    ],
)
def test_which_language_is_spoken(asked, cookie, accepted, spoken):
    assert languages.choose(asked, cookie, accepted) == spoken


def test_language_and_theme_are_kept_without_a_script(web):
    page = web.get("/rules?lang=ja&theme=dark&round=final")
    assert 'lang="ja" data-theme="dark"' in page.text
    assert 'href="/rules?round=final&amp;lang=en"' in page.text
    assert 'lang="ja" data-theme="dark"' in web.get("/").text
    assert 'lang="en" data-theme="auto"' in web.get("/?lang=en&theme=auto").text


def test_what_the_server_says_is_translated_with_what_it_holds(arena, web):
    assert sentences.translate("released.csv: row 3, column age: 'x' is not allowed; one of a, b", "ja") == (
        "released.csv：行 3、列 age：'x' は使えません。次のどれかにしてください：a, b"
    )
    assert sentences.translate("something nobody ever said", "ja") == "something nobody ever said"
    assert sentences.translate("a password has 10 to 200 characters", "en").startswith("a password")
    web.cookies.set(languages.COOKIE, "ja")
    assert "名前またはパスワードが違います" in log_in(web, "Ann").text
    assert "ここには何もありません" in web.get("/nothing").text


def refusals() -> list[str]:
    """Every sentence the arena refuses something with to people; what is filled in is 7."""
    names = {one.__name__ for one in Refused.__subclasses__()} | {"Refused"}
    files = [path for path in Path(arena_package.__file__).parent.rglob("*.py") if path.parent.name != "api"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    calls = [one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.args]
    return [said for one in calls if one.func.id in names and (said := sentence(one.args[0]))]


def sentence(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else "7" for one in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_every_refusal_is_known_in_japanese():
    said = refusals()
    assert len(said) > 60
    assert sorted({one for one in said if sentences.translate(one, "ja") == one}) == []


# --- times


def test_times_are_told_in_the_zone_and_in_utc():
    at = datetime(2026, 5, 1, 20, 30, tzinfo=UTC)
    told = times.when(at, ZoneInfo("Asia/Tokyo"), "en")
    assert 'datetime="2026-05-01T20:30:00Z"' in told
    assert "Sat 2 May 2026 05:30 JST" in told
    assert "(Fri 1 May 2026 20:30 UTC)" in told
    assert "2026年5月2日(土) 05:30 JST" in times.when(at, ZoneInfo("Asia/Tokyo"), "ja")
    assert "UTC)" not in times.when(at, ZoneInfo("UTC"), "en")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "00:00:00"), (-5, "00:00:00"), (3725, "01:02:05"), (86399, "23:59:59"), (93600, "1 d 2 h")],
)
def test_time_left(seconds, told):
    assert times.left(seconds, languages.words_in("en")) == told
