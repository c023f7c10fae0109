"""Studies: tables and figures of the papers, repeated on synthetic data.

A study is one module of this package named after its paper: `p0_methods` is the study `p0-methods`. Its docstring
explains it, and its `run(rows, seed, progress)` returns the parts of the result. Nothing else has to be edited.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from icefire.errors import UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from icefire.studies.result import StudyResult

_STUDY = re.compile(r"p\d+_\w+")


def available() -> list[str]:
    """Return the names of the studies, in alphabetical order."""
    return sorted(m.name.replace("_", "-") for m in iter_modules(__path__) if _STUDY.fullmatch(m.name))


def load(name: str) -> ModuleType:
    """Return the module of the study of this name."""
    if name not in available():
        raise UnknownNameError(f"no study is called {name!r}; {did_you_mean(name, available())}")
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def run(
    name: str,
    output: Path,
    *,
    rows: int | None,
    seed: int,
    force: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> StudyResult:
    """Run a study and write its tables and pictures to a folder, whole or not at all."""
    from icefire.files import whole_folder
    from icefire.studies import writing
    from icefire.studies.result import StudyResult

    study = load(name)
    with whole_folder(output, force) as draft:
        parts = study.run(rows, seed, progress)
        progress("writing tables and pictures")
        files = writing.write(draft, _command(name, rows, seed), study.__doc__ or "", parts)
    return StudyResult(name, output, parts, files)


def _command(name: str, rows: int | None, seed: int) -> str:
    return f"icefire study {name}{'' if rows is None else f' --rows {rows}'} --seed {seed}"
