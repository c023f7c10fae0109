"""Pages of the documentation site that are made when it is built: every attack, measure, method and public name.

mkdocs calls `on_files` and `on_page_markdown` (see mkdocs.yml). The pages follow the registry and the
docstrings and are not stored.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import icefire
from icefire.core import registry
from icefire.report.html.glossary import description

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from icefire.core.parameters import Parameter
    from icefire.core.registry import Entry, Sort

SORTS: dict[str, Sort] = {"attacks": "attack", "measures": "measure", "methods": "method"}
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+((?:examples|src|tests|README|CONTRIBUTING|SECURITY)[^)#]*)[^)]*\)")
"""A link from a page to a file outside docs/."""
KINDS = {"table": "For tables", "history": "For histories"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the reference to the site."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Turn links to files of the repository that are no pages into their paths."""
    return OUTSIDE.sub(r"\1 (`\2`)", markdown)


def pages() -> dict[str, str]:
    """Write all pages, by name."""
    return {name: registry_page(name, sort) for name, sort in SORTS.items()} | {"python": python_page()}


def registry_page(title: str, sort: Sort) -> str:
    """Write the page of all attacks, measures or methods."""
    parts = [f"# {title.capitalize()}", f"As `icefire list {title}` prints them, with all details."]
    for kind, heading in KINDS.items():
        parts.append(f"## {heading}")
        parts += [entry_section(entry) for entry in registry.entries(sort) if entry.data == kind]
    return "\n\n".join(parts) + "\n"


def entry_section(entry: Entry) -> str:
    """Write what an entry says of itself, and a table of its parameters."""
    title = f"### `{entry.name}`" + (f" ({entry.code})" if entry.code else "")
    parts = [title, description(entry.function.__doc__ or "")]
    if entry.parameters:
        lines = [parameter_line(parameter) for parameter in entry.parameters.values()]
        parts.append("\n".join(["| parameter | allowed | default |", "|---|---|---|", *lines]))
    return "\n\n".join(parts)


def parameter_line(parameter: Parameter) -> str:
    """Write one parameter as a line of a table."""
    given = parameter.default is not inspect.Parameter.empty and parameter.default is not None
    allowed = str(parameter.allowed).replace("|", "\\|")
    return f"| `{parameter.name}` | {allowed} | {f'`{parameter.default}`' if given else ''} |"


def python_page() -> str:
    """Write the page of the public names; mkdocstrings fills in their docstrings."""
    parts = ["# Python", "Everything in `icefire.__all__`; whatever is not listed may change without notice."]
    for name in icefire.__all__:
        value = getattr(icefire, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            parts.append(f"::: {value.__module__}.{value.__qualname__}")
    return "\n\n".join(parts) + "\n"
