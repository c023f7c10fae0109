"""Files and folders are written whole or not at all, and nothing that somebody else wrote is ever replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from icefire.core.errors import OutputError
from icefire.io import writing
from icefire.io.folder import ReleasePlace, secret_place
from icefire.io.marker import MARKER, foreign_files, read_marker
from icefire.io.writing import NewFolder, output_file, whole_file, whole_folder, whole_folders


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path / "homes" / "ann"))
    (tmp_path / "homes" / "ann").mkdir(parents=True)
    return here


def fill(path: str | Path, content: str = "new", force: bool = False, **options: object) -> None:
    with whole_folder(path, "sample", force, **options) as draft:  # type: ignore[arg-type]
        (draft / "a.csv").write_text(content)
        (draft / "inner").mkdir()
        (draft / "inner" / "b.csv").write_text(content)


def refused(message: str, action: Callable[[], object]) -> None:
    with pytest.raises(OutputError, match=message):
        action()


def test_a_file_appears_whole_or_not_at_all(place: Path) -> None:
    Path("out.csv").write_text("old")
    with pytest.raises(RuntimeError), whole_file("out.csv", force=True) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert Path("out.csv").read_text() == "old"
    assert os.listdir() == ["out.csv"]
    with whole_file("out.csv", force=True) as draft:
        draft.write_text("new")
    assert Path("out.csv").read_text() == "new"


def test_a_file_is_not_replaced_unasked_and_an_input_never() -> None:
    Path("out.csv").write_text("old")
    Path("link.csv").symlink_to("out.csv")
    for name in ("out.csv", "./out.csv", "link.csv"):
        refused("exists already; choose another name, or pass force=True", whole_file(name).__enter__)
        refused("is read by this command", whole_file(name, force=True, inputs=["out.csv"]).__enter__)
    Path("folder").mkdir()
    Path("folder/released.csv").write_text("old")
    refused("is read by this command", whole_file("folder/released.csv", force=True, inputs=["folder"]).__enter__)
    with whole_file("folder/report.html", inputs=["folder"]) as draft:
        draft.write_text("new")
    assert Path("folder/report.html").read_text() == "new"


NEW = {
    "html": '<!doctype html><meta name="generator" content="icefire">',
    "xml": '<?xml version="1.0"?>\n<testsuites name="icefire">',
    "json": '{"format_version": 1, "provenance": {}}',
    "list": '[{"release": 1, "passed": true}]',
    "sarif": '{"$schema": "sarif", "version": "2", "runs": [{"tool": {"driver": {"name": "icefire"}}}]}',
    "toml": "# Roles of the columns, written by icefire",
    "recipe": "# First recipe. It was written\n# by icefire from the roles",
    "summary": "## ❌ released.csv: do not release",
    "csv": "value,released\n1,2\n",
    "records": "released_row,original_row,euc1\n1,2,true\n",
    "hierarchy": "34;30-39;*\n",
    "answers": "3,1\n1,2\n",
}
"""What commands write, by kind."""


OLD = {
    "html": "<!doctype html><p>we tried icefire",
    "xml": '<?xml version="1.0"?>\n<testsuites name="pytest">',
    "json": '{"name": "mine", "version": 1}',
    "broken": '{"format_version": 1',
    "list": "[1, 2]",
    "sarif": '{"$schema": "sarif", "version": "2", "runs": [{"tool": {"driver": {"name": "CodeQL"}}}]}',
    "toml": "# my notes on icefire",
    "table": "[project]\nname = 1\n",
    "summary": "# My project",
    "csv": "age,sex\n1,2\n",
    "row": "value,size\n1,2\n",
    "xlsx": "PK\3\4\0",
    "notes": "call them back\n",
}
"""Files that somebody else wrote."""


@pytest.mark.parametrize(("old", "kind"), [(OLD[old], kind) for old in OLD for kind in NEW])
def test_force_replaces_no_file_that_somebody_else_wrote(old: str, kind: str) -> None:
    Path("mine").write_text(old)
    with pytest.raises(OutputError, match="no file that icefire wrote"), output_file("mine", force=True) as draft:
        draft.write_text(NEW[kind])
    assert Path("mine").read_text() == old


@pytest.mark.parametrize("kind", NEW)
def test_force_replaces_a_file_that_icefire_wrote(kind: str) -> None:
    for _ in range(2):
        with output_file("out", force=True) as draft:
            draft.write_text(NEW[kind])
    refused("exists already", output_file("out").__enter__)
    Path("empty").touch()
    with output_file("empty", force=True) as draft:
        draft.write_text(NEW[kind])


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_force_replaces_a_table_of_its_own_columns_only(ending: str) -> None:
    write = pl.DataFrame.write_parquet if ending == "parquet" else pl.DataFrame.write_ipc
    write(pl.DataFrame({"row": [1], "age": [30]}), "mine")
    write(pl.DataFrame({"row": [1], "count": [2], "candidates": [3]}), "own")
    new = pl.DataFrame({"row": [5], "count": [0], "candidates": [1]})
    with pytest.raises(OutputError, match="no file that icefire wrote"), output_file("mine", force=True) as draft:
        write(new, draft)
    with output_file("own", force=True) as draft:
        write(new, draft)
    assert (Path("own").read_bytes() == Path("mine").read_bytes(), Path("mine").stat().st_size > 0) == (False, True)


def test_a_page_of_somebody_else_is_not_replaced() -> None:
    Path("index.html").write_text("<!doctype html>my home page")
    with pytest.raises(OutputError, match="no file that icefire"), output_file("index.html", force=True) as draft:
        draft.write_text(NEW["html"])
    assert "my home page" in Path("index.html").read_text()


def test_a_link_stays_a_link_when_its_file_is_replaced() -> None:
    Path("out.csv").write_text("old")
    Path("link.csv").symlink_to("out.csv")
    with whole_file("link.csv", force=True) as draft:
        draft.write_text("new")
    assert (Path("out.csv").read_text(), Path("link.csv").is_symlink()) == ("new", True)


def test_what_is_no_file_is_refused() -> None:
    os.mkfifo("pipe")
    refused("is no regular file", whole_file("pipe", force=True).__enter__)
    refused("is a folder", whole_file(".", force=True).__enter__)
    refused("no such folder", whole_file("nowhere/a.csv").__enter__)


def test_a_secret_file_is_for_its_owner_and_not_in_a_folder_that_is_handed_out() -> None:
    with whole_file("records.csv", secret=True) as draft:
        draft.write_text("1")
    assert stat.S_IMODE(Path("records.csv").stat().st_mode) == 0o600
    with whole_folder("release", "release") as draft:
        (draft / "released.csv").write_text("1")
    refused("tells who is who, but 'release' is to be handed out", whole_file("release/r.csv", secret=True).__enter__)
    Path("release/inner").mkdir()
    Path("link").symlink_to("release/inner")
    for name in ("release/inner/r.csv", "link/r.csv"):
        refused("but 'release' is to be handed out", whole_file(name, secret=True).__enter__)
    for name in ("release/own", "link/deep/own"):
        refused("but 'release' is to be handed out", whole_folder(name, "secrets", secret=True).__enter__)


def test_secrets_of_one_release_are_not_written_into_another() -> None:
    with whole_folder("release", "release") as draft:
        (draft / "released.csv").write_text("1")
    refused("'release/second.secret' tells who is who", ReleasePlace("release/second").check)
    refused("'release/keys' tells who is who", ReleasePlace("second", secret="release/keys").check)
    ReleasePlace("release/second", secret="keys").check()


def test_a_folder_appears_whole_or_not_at_all(place: Path) -> None:
    with pytest.raises(RuntimeError), whole_folder("out", "sample") as draft:
        (draft / "a").write_text("half")
        raise RuntimeError
    assert os.listdir() == []
    fill("out")
    assert Path("out/inner/b.csv").read_text() == "new"
    assert set(read_marker(Path("out")).files) == {"a.csv", "inner/b.csv"}  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["people.csv", "to/Release.XLSX"])
def test_the_name_of_a_file_is_no_folder(name: str) -> None:
    refused(f"'{name}' is the name of a file, and a folder is written; give the name of a folder", lambda: fill(name))
    assert os.listdir() == []


def test_an_empty_folder_is_filled_and_an_own_one_replaced_only_when_asked() -> None:
    Path("out").mkdir()
    fill("out", "old")
    refused("'out' exists already; choose a new folder, or pass force=True", lambda: fill("out"))
    fill("out", "new", force=True)
    assert Path("out/a.csv").read_text() == "new"
    assert sorted(os.listdir()) == ["out"], "nothing is left beside it"


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_with_files_of_others_is_refused_and_they_are_named(force: bool) -> None:
    Path("data").mkdir()
    Path("data/original.csv").write_text("mine")
    refused("did not write, or that were changed since: original.csv", lambda: fill("data", force=force))
    fill("out")
    Path("out/notes.txt").write_text("mine")
    refused("changed since: notes.txt", lambda: fill("out", force=force))
    Path("out/notes.txt").unlink()
    Path("out/inner/mine").mkdir()
    refused("changed since: inner/mine/", lambda: fill("out", force=force))
    Path("out/inner/mine").rmdir()
    Path("out/inner/b.csv").write_text("corrected by hand")
    refused("changed since: inner/b.csv", lambda: fill("out", force=force))
    assert Path("out/inner/b.csv").read_text() == "corrected by hand"
    assert Path("data/original.csv").read_text() == "mine"


def test_a_link_in_the_place_of_a_written_file_is_foreign() -> None:
    fill("out")
    Path("elsewhere").write_text("new")
    Path("out/a.csv").unlink()
    Path("out/a.csv").symlink_to("../elsewhere")
    refused("changed since: a.csv", lambda: fill("out", force=True))
    assert Path("elsewhere").read_text() == "new"


def test_a_marker_that_cannot_be_read_protects() -> None:
    fill("out")
    Path("out", MARKER).write_text("{")
    assert foreign_files(Path("out")) == [MARKER, "a.csv", "inner/", "inner/b.csv"]
    refused("did not write", lambda: fill("out", force=True))


def test_the_current_folder_home_and_what_lies_above_them_are_refused(place: Path, tmp_path: Path) -> None:
    Path("to_home").symlink_to(tmp_path / "homes" / "ann")
    Path("to_here").symlink_to(".")
    for path, message in (
        (".", "is the current folder"),
        ("to_here", "is the current folder"),
        (place, "is the current folder"),
        ("..", "lies above the current folder"),
        ("/", "lies above the current folder"),
        (tmp_path / "homes" / "ann", "is your home folder"),
        ("to_home", "is your home folder"),
        (tmp_path / "homes", "lies above your home folder"),
    ):
        refused(message, lambda path=path: fill(path, force=True))  # type: ignore[misc]
    Path("a.csv").write_text("mine")
    refused("'a.csv' is a file", lambda: fill("a.csv", force=True))
    assert Path("a.csv").read_text() == "mine"


def test_a_link_to_an_own_folder_is_followed_and_one_to_other_files_is_refused() -> None:
    fill("out", "old")
    Path("link").symlink_to("out")
    fill("link", "new", force=True)
    assert (Path("link").is_symlink(), Path("out/a.csv").read_text()) == (True, "new")
    Path("data").mkdir()
    Path("data/x.csv").write_text("mine")
    Path("data_link").symlink_to("data")
    refused("changed since: x.csv", lambda: fill("data_link", force=True))


def test_a_folder_that_is_read_or_of_another_kind_is_not_replaced() -> None:
    fill("data")
    refused("holds 'data/a.csv', which is read", lambda: fill("data", force=True, inputs=["data/a.csv"]))
    refused("is read by this command", lambda: fill("data", force=True, inputs=["data"]))
    refused(r"another kind of output \(sample\)", whole_folder("data", "release", force=True).__enter__)


def test_a_file_written_into_an_own_folder_belongs_to_it() -> None:
    fill("out")
    with whole_file("out/report.html") as draft:
        draft.write_text("page")
    fill("out", "newer", force=True)
    assert not Path("out/report.html").exists()


@pytest.mark.parametrize("failing", range(4))
def test_whatever_stops_the_renaming_both_old_folders_stay(failing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two folders are four renames: each old one aside, each new one in. An interruption is raised at each."""
    folders = (NewFolder("a", "x", force=True), NewFolder("b", "y", force=True, secret=True))

    def write(content: str) -> None:
        with whole_folders(*folders) as drafts:
            for draft in drafts:
                (draft / "file").write_text(content)

    write("old")
    renames, rename = iter(range(10)), os.replace

    def stopped(source: Path, target: Path) -> None:
        # The markers are renamed too.
        if Path(source).is_dir() and next(renames) == failing:
            raise KeyboardInterrupt
        rename(source, target)

    monkeypatch.setattr(writing.os, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        write("new")
    assert (Path("a/file").read_text(), Path("b/file").read_text()) == ("old", "old")
    assert sorted(os.listdir()) == ["a", "b"]
    monkeypatch.undo()


def test_a_full_disk_leaves_the_old_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    fill("out", "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.marker, "mark", full)
    with pytest.raises(OSError, match="No space left"):
        fill("out", "new", force=True)
    assert (Path("out/a.csv").read_text(), os.listdir()) == ("old", ["out"])


def test_a_file_that_appears_while_the_folder_is_made_is_not_lost() -> None:
    fill("out", "old")
    with pytest.raises(OutputError, match=r"changed since: late\.txt"), whole_folder("out", "sample", True):
        Path("out/late.txt").write_text("mine")
    assert (Path("out/late.txt").read_text(), Path("out/a.csv").read_text()) == ("mine", "old")


@pytest.mark.parametrize("new", ["3\n1\n2\n", "3,1\n1,2\n", "row,risk\n0,0.5\n"])
def test_force_replaces_no_notes_by_answers_or_a_table(tmp_path: Path, new: str) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("call them back\n")
    with pytest.raises(OutputError, match="no file that icefire wrote"), output_file(notes, force=True) as draft:
        draft.write_text(new)
    assert notes.read_text() == "call them back\n"


OWN_NUMBERS = {"salaries": "4100\n900\n1200\n", "a truth": "2\n0\n1\n", "fewer": "1\n1\n", "below": "-5\n1\n1\n"}


@pytest.mark.parametrize("name", OWN_NUMBERS)
def test_force_replaces_no_numbers_of_somebody_else_by_an_answer(tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text(OWN_NUMBERS[name])
    with pytest.raises(OutputError, match="no file that icefire wrote"), output_file(mine, force=True) as draft:
        draft.write_text("1\n1\n0\n")
    assert mine.read_text() == OWN_NUMBERS[name]
    mine.write_text("1\n-1\n2\n")
    with output_file(mine, force=True) as draft:
        draft.write_text("1\n1\n0\n")


def test_the_secrets_of_a_release_are_never_replaced_by_a_file(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out.secret", "secrets of out") as draft:
        (draft / "truth.csv").write_text("0\n1\n")
    refused("keeps who is who", output_file(tmp_path / "out.secret" / "truth.csv", force=True).__enter__)


def test_the_root_of_the_disk_is_refused(tmp_path: Path) -> None:
    assert secret_place("/").name == ".secret"
