"""The pages of the site, one module each; those of the organisers are in admin.

A module that declares PAGE is found by itself. Modules whose name begins with an underscore hold what a page, or
several of them, needs besides.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from icefire.arena import web
from icefire.arena.web.page import Page


def discover() -> list[Page]:
    """Return every page, in the order of their modules.

    Raises:
        FileNotFoundError: If a page has no template or no words.
    """
    names = [module.name for module in pkgutil.walk_packages(__path__, f"{__name__}.")]
    pages = [page for name in names if isinstance(page := getattr(import_module(name), "PAGE", None), Page)]
    for page in pages:
        _check_file("templates", page.template)
        _check_file("words", page.words)
    return pages


def _check_file(folder: str, name: str) -> None:
    if not any((place / name).is_file() for place in web.folders(folder)):
        raise FileNotFoundError(f"there is no file {name} in {folder}; a page is a module, a template and its words")
