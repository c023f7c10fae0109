"""A real browser, taken from the machine, and what a page is examined for in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# Contrast of every piece of text against what is painted behind it, by the WCAG formula; returns the poor ones.
POOR_CONTRAST = """() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = parse(c).map(linear);
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (parse(c)[3] !== 0) return c; } return "rgb(255, 255, 255)"; };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const shown = e => e.getClientRects().length && !e.closest("title, desc, .skip");
  const poor = [];
  for (const e of document.body.querySelectorAll("*")) if (own(e) && shown(e)) {
    const s = getComputedStyle(e), a = light(e instanceof SVGElement ? s.fill : s.color), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push([e.tagName, e.className, e.textContent.slice(0, 30), ratio]);
  }
  return poor;
}"""
# What a screen reader would stumble over; returns a line for each.
UNTOLD = """() => {
  const found = [], all = s => [...document.querySelectorAll(s)];
  const say = (what, e) => found.push(`${what}: ${e.outerHTML.slice(0, 120)}`);
  const named = e => e.textContent.trim() || e.ariaLabel || e.querySelector("img[alt]:not([alt=''])");
  const drawn = e => e.getAttribute("role") === "img" &&
    (e.ariaLabel || e.getAttribute("aria-labelledby") || e.querySelector("title"));
  if (all("h1").length !== 1) found.push(`${all("h1").length} headings of the first level`);
  let level = 0;
  for (const e of all("h1, h2, h3, h4")) {
    if (+e.tagName[1] > level + 1) say("a level of headings is left out", e);
    level = +e.tagName[1];
  }
  for (const e of all("input:not([type=hidden], [hidden]), select, textarea"))
    if (!e.labels.length && !e.ariaLabel) say("no label", e);
  for (const e of all("img:not([alt])")) say("no words for the image", e);
  for (const e of all("svg:not(svg svg)"))
    if (!e.closest("[aria-hidden=true]") && !drawn(e)) say("no words for the drawing", e);
  for (const e of all("table")) if (!e.caption?.textContent.trim()) say("no caption", e);
  for (const e of all("a, button, summary")) if (!named(e)) say("no name", e);
  for (const e of all("[id]")) if (all(`[id="${CSS.escape(e.id)}"]`).length > 1) say("an id twice", e);
  for (const name of ["for", "aria-describedby", "aria-labelledby"])
    for (const e of all(`[${name}]`)) for (const id of e.getAttribute(name).split(/ +/))
      if (!document.getElementById(id)) say(`${name} leads nowhere`, e);
  return found;
}"""
# Fields and buttons that a finger would miss.
TOO_SMALL = """() => [...document.querySelectorAll("button, .button, select, nav a, input:not([type=hidden])")]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
  .map(e => `${e.outerHTML.slice(0, 80)} ${e.getBoundingClientRect().height}`)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The browser of the machine; tests that need one are skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not found:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield opened
        opened.close()
