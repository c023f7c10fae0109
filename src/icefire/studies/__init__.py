"""Studies: tables and figures of the papers, repeated on synthetic data or on a contest's own.

A study is one module of this package named after its paper (`p0_methods` is the study `p0-methods`), or `strongest` or
`threats`, which are of no paper. Its docstring explains it, and its function `parts(rows, seed, progress)` returns the
parts of the result. One that also runs on a contest's files takes their folder as a parameter `data`, which may be
None; one that repeats everything with several seeds takes their number as `seeds`, and one that goes on after it was
stopped takes a file as `kept`. Nothing else has to be edited.
"""

from __future__ import annotations

import inspect
import re
import shlex
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from icefire.core.errors import ParameterError, UnknownNameError, did_you_mean, listing
from icefire.core.extras import require
from icefire.core.types import Progress, no_progress

if TYPE_CHECKING:
    from icefire.studies.result import StudyResult

_STUDY = re.compile(r"p\d+_\w+|strongest|threats")


def available() -> list[str]:
    """Return the names of the studies, in alphabetical order."""
    return sorted(m.name.replace("_", "-") for m in iter_modules(__path__) if _STUDY.fullmatch(m.name))


def load(name: str) -> ModuleType:
    """Return the module of the study of this name."""
    if name not in available():
        raise UnknownNameError(f"no study is called {name!r}; {did_you_mean(name, available())}")
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def takes(name: str, parameter: str) -> bool:
    """Tell whether a study has a parameter: `data`, `seeds` or `kept`."""
    return parameter in inspect.signature(load(name).parts).parameters


def run_study(
    name: str,
    output: Path,
    *,
    rows: int | None,
    seed: int,
    data: Path | None = None,
    seeds: int | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run a study and write its tables and pictures to a folder, whole or not at all.

    `data` is a folder with a contest's files, for studies that take one; without it the data are synthetic. `seeds` is
    for studies that repeat everything with several seeds.
    """
    from icefire.io.writing import whole_folder
    from icefire.studies import writing
    from icefire.studies.result import StudyResult

    study = load(name)
    _check(name, rows, data, seeds)
    require("matplotlib", "plots", "a study, which draws pictures,")
    place = output.resolve()
    kept = place.with_name(f"{place.name}.partial.jsonl")
    options = {"data": data, "seeds": seeds, "kept": kept}
    with whole_folder(output, "study", force, () if data is None else (data,)) as draft:
        parts = study.parts(rows, seed, progress, **{key: value for key, value in options.items() if takes(name, key)})
        progress("writing tables and pictures")
        files = writing.write(draft, _command(name, rows, seed, data, seeds), study.__doc__ or "", parts)
    if takes(name, "kept"):
        kept.unlink(missing_ok=True)
    return StudyResult(name, output, parts, files)


def _check(name: str, rows: int | None, data: Path | None, seeds: int | None) -> None:
    if seeds is not None and not takes(name, "seeds"):
        others = listing(other for other in available() if takes(other, "seeds"))
        raise ParameterError(f"{name} takes no --seeds; leave it out, or choose from: {others}")
    if data is not None and not takes(name, "data"):
        others = listing(other for other in available() if takes(other, "data"))
        raise ParameterError(f"{name} draws its own sample and takes no --data; leave it out, or choose from: {others}")
    if data is not None and rows is not None:
        raise ParameterError(
            f"--rows {rows} is the size of a synthetic sample, --data {str(data)!r} brings its own rows; give only one"
        )


def _command(name: str, rows: int | None, seed: int, data: Path | None, seeds: int | None) -> str:
    source = "" if data is None else f" --data {shlex.quote(str(data))}"
    size = "" if rows is None else f" --rows {rows}"
    return f"icefire study {name}{source}{size}{'' if seeds is None else f' --seeds {seeds}'} --seed {seed}"
