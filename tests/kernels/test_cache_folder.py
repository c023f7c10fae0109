"""Compiled functions are kept by version and by their sources, with those they import."""

import shutil
from pathlib import Path

import numba
import pytest

from icefire.kernels.common import cache_folder
from icefire.kernels.common.cache_folder import SourceLocator, source_digest
from icefire.kernels.common.shell_sort import shell_sort


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A copy of the kernels whose sources can be changed."""
    copy = tmp_path / "icefire" / "kernels"
    shutil.copytree(cache_folder.KERNELS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache_folder, "PACKAGE", tmp_path / "icefire")
    monkeypatch.setattr(cache_folder, "KERNELS", copy)
    forget()
    yield copy
    forget()


def forget():
    cache_folder._source.cache_clear()
    cache_folder._imported.cache_clear()
    cache_folder.source_digest.cache_clear()
    cache_folder._can_be_written.cache_clear()
    cache_folder._digest_of_ours.cache_clear()


def change(file: Path):
    file.write_text(file.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    forget()


def test_a_change_in_an_imported_module_changes_the_folder(kernels):
    votes, far = kernels / "evidence/votes.py", kernels / "evidence/forest.py"
    before = source_digest(votes), source_digest(far)
    change(kernels / "common/shell_sort.py")  # imported by votes, not by forest
    assert source_digest(votes) != before[0]
    assert source_digest(far) == before[1]
    change(kernels / "common/random_draws.py")
    assert source_digest(far) != before[1]


def test_modules_imported_as_such_or_by_a_module_in_between_count_too(kernels):
    files = cache_folder._with_imported(kernels / "grouping/tree_distance.py")
    names = {file.relative_to(kernels).as_posix() for file in files}
    assert {"common/threads.py", "grouping/class_statistics.py", "common/shell_sort.py"} <= names


def test_our_functions_are_kept_in_the_folder_of_this_version(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache_folder.sys, "platform", "linux")
    locator = SourceLocator.from_function(shell_sort.py_func, shell_sort.py_func.__code__.co_filename)
    assert locator is not None
    assert Path(locator.get_cache_path()).parent == tmp_path / "icefire/kernels" / cache_folder.__version__
    assert Path(locator.get_cache_path()).is_dir()


def test_other_functions_and_places_that_cannot_be_written_are_left_to_numba(monkeypatch, tmp_path):
    assert SourceLocator.from_function(forget, __file__) is None
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache_folder, "cache_folder", lambda: tmp_path / "file")
    assert SourceLocator.from_function(shell_sort.py_func, shell_sort.py_func.__code__.co_filename) is None


def test_numba_asks_for_our_folder_after_the_users():
    classes = numba.core.caching.CacheImpl._locator_classes
    assert classes.index(SourceLocator) == 1
