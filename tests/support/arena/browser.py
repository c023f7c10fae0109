"""People with browsers: what they do on the pages of a competition, and what no page may do to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from support import chromium

PASSWORD = "a password for tests"
# Colours on their way from one to another are nobody's: they could not be read in the moment a test looks.
USUAL = {"locale": "en-GB", "reduced_motion": "reduce"}
# Seconds to wait for a page: many, for the tests beside this one may hold every core for a while.
PATIENCE = 90
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


class Person:
    """Somebody with a browser of their own. Whatever it complains about, and whomever it asks, is kept."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.url = url
        self.told: list[str] = []
        self.hosts: set[str] = set()
        self.context = browser.new_context(base_url=url, viewport=DESK, **{**USUAL, **options})
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.told.append(str(error.error)))
        self.context.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.context.on("response", self._response)
        self.page = self.context.new_page()
        self.page.on("dialog", lambda dialog: (self.told.append(dialog.message), dialog.dismiss()))

    def _console(self, message: Any) -> None:
        """Keep what the browser complains about; a page that refuses something is none, see _response."""
        if message.type in ("warning", "error") and "responded with a status of 4" not in message.text:
            self.told.append(f"{self.page.url} {message.text}")

    def _response(self, response: Any) -> None:
        page = response.request.is_navigation_request()
        if response.status >= (500 if page else 400):
            self.told.append(f"{response.status} {response.url}")

    def goes(self, path: str) -> Any:
        """Open a page of the server."""
        return self.page.goto(path, wait_until="load")

    def registers(self, name: str, code: str) -> Person:
        """Make an account by an invitation."""
        self.goes("/register")
        self._fills({"Invitation code": code, "Name": name, "Password": PASSWORD})
        self.page.get_by_role("button", name="Make the account").click()
        return self

    def logs_in(self, name: str, path: str = "/") -> Person:
        """Log in, and go on to a page."""
        self.goes(f"/login?next={path}")
        self._fills({"Name": name, "Password": PASSWORD})
        self.page.locator("main").get_by_role("button", name="Log in").click()
        self.page.wait_for_url(path)
        return self

    def _fills(self, fields: Mapping[str, str]) -> None:
        for label, value in fields.items():
            self.page.get_by_label(label, exact=True).fill(value)

    def hands_in(self, files: Mapping[str, bytes], button: str) -> None:
        """Choose files in the form of the page, and send it."""
        for name, content in files.items():
            self.page.locator(f'input[name="{name}"]').set_input_files(as_file(name, content))
        self.page.get_by_role("button", name=button).click()

    def downloads(self, press: Any) -> bytes:
        """Follow a link or press a button that gives a file."""
        with self.page.expect_download() as made:
            press.click()
        return bytes(made.value.path().read_bytes())


def as_file(name: str, content: bytes) -> dict[str, Any]:
    """A file as the browser takes it from a test."""
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def with_bad_cell(table: bytes, row: int, column: str, value: str) -> bytes:
    """The table with one cell changed; rows are counted from 0, below the header."""
    lines = [line.split(",") for line in table.decode().splitlines()]
    lines[row + 1][lines[0].index(column)] = value
    return "".join(",".join(line) + "\n" for line in lines).encode()


def examine(person: Person, paths: Iterable[str], languages: Iterable[str] = ("ja", "en")) -> list[str]:
    """Look at pages in both languages, wide and narrow, light and dark; returns what is wrong with them."""
    page, wrong = person.page, []
    for path in paths:
        for language in languages:
            answer = person.goes(f"{path}{'&' if '?' in path else '?'}lang={language}")
            found = page.evaluate(chromium.UNTOLD)
            if answer.status != 200 or page.locator("html").get_attribute("lang") != language:
                found.append(f"answered {answer.status} in {page.locator('html').get_attribute('lang')}")
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                found += [f"{scheme}: {poor}" for poor in page.evaluate(chromium.POOR_CONTRAST)]
            for size in (DESK, PHONE):
                page.set_viewport_size(size)
                if page.evaluate("document.documentElement.scrollWidth") > size["width"]:
                    found.append(f"wider than {size['width']}")
            found += [f"too small for a finger: {one}" for one in page.evaluate(chromium.TOO_SMALL)]
            page.set_viewport_size(DESK)
            wrong += [f"{path} in {language}: {one}" for one in found]
    return wrong


class Cup:
    """A competition in a server process, everybody who takes part in it, and what has happened so far."""

    def __init__(self, browser: Any, url: str) -> None:
        self.browser, self.url = browser, url
        self.people: dict[str, Person] = {}
        self.known: dict[str, str] = {}
        """What people have written down: codes, labels."""
        self._played: dict[Journey, bool] = {}

    def person(self, name: str, **options: Any) -> Person:
        """Return somebody; who was not there before comes with a new browser."""
        if name not in self.people:
            self.people[name] = Person(self.browser, self.url, **options)
        return self.people[name]

    def after(self, *journeys: Journey) -> None:
        """Play what has not been played yet, so that every test can be run alone."""
        for journey in journeys:
            if journey not in self._played:
                self._played[journey] = False
                journey(self)
                self._played[journey] = True
            elif not self._played[journey]:
                pytest.skip(f"the journey {journey.__name__} failed in another test")

    def begins(self, phase: str) -> None:
        """Have the organiser begin a phase of the first round at the desk."""
        organiser = self.person("organiser")
        organiser.goes("/desk/phases")
        menu = organiser.page.locator(f"#edit-preliminary-{phase}")
        menu.locator("summary").click()
        menu.get_by_role("button", name="Begin now").click()
        if phase in ("attack", "reveal"):
            organiser.page.locator("#confirm").get_by_role("button", name="Begin now").click()
        organiser.page.get_by_role("status").filter(has_text="The phase has its new time").wait_for()

    def all_judged(self) -> None:
        """Wait until the judge has nothing to do any more."""
        organiser = self.person("organiser")
        end = time.monotonic() + PATIENCE
        while "The queue is empty." not in organiser.context.request.get("/desk/queue?lang=en").text():
            assert time.monotonic() < end, "the judge has not finished"
            time.sleep(0.2)

    def noise(self) -> list[str]:
        """What any browser complained about, and every server but ours that one has asked."""
        asked = {host for person in self.people.values() for host in person.hosts} - {urlsplit(self.url).netloc, ""}
        return [*(one for person in self.people.values() for one in person.told), *asked]

    def forget_noise(self) -> None:
        """Begin anew, so that one test does not answer for another."""
        for person in self.people.values():
            person.told.clear()
            person.hosts.clear()


class Season:
    """One competition after the other. Tests follow the course of one; who comes too late for it gets the next."""

    def __init__(self, found: Callable[[], AbstractContextManager[Cup]]) -> None:
        self._found = found
        self._running = ExitStack()
        self._cup: Cup | None = None
        self._line = 0

    def cup(self, line: int) -> Cup:
        """Return a competition in which no test has been that stands below this line of the file."""
        if self._cup is None or line < self._line:
            self.end()
            self._cup = self._running.enter_context(self._found())
        self._line = line
        return self._cup

    def end(self) -> None:
        """Send everybody home and stop the server."""
        for person in self._cup.people.values() if self._cup else ():
            person.context.close()
        self._running.close()
        self._cup = None


Journey = Callable[[Cup], None]
