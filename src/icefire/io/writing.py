"""Write files and folders whole or not at all: beside their place first, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from icefire.core.errors import OutputError
from icefire.io import marker
from icefire.io.places import check_file, check_folder, check_own, check_secret


@contextmanager
def output_file(
    path: str | Path, force: bool = False, inputs: Iterable[str | Path] = (), secret: bool = False
) -> Iterator[Path]:
    """Give a temporary path for a file that a user asked for; see `whole_file`.

    A file that exists is replaced on request, and only if icefire wrote it (`own_files`). The user's own tables, notes
    and pictures stay where they are.
    """
    with whole_file(path, force, inputs, secret) as draft:
        yield draft
        check_own(path, draft)


@contextmanager
def whole_file(
    path: str | Path, force: bool = False, inputs: Iterable[str | Path] = (), secret: bool = False
) -> Iterator[Path]:
    """Give a temporary path beside the target and move it there only when all went well.

    The parameters are those of `check_file`; a secret file can be read by its owner alone.
    """
    check_file(path, force, inputs, secret)
    target = Path(path).resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=target.suffix, dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise OutputError(f"cannot write {str(path)!r} ({error.strerror}); choose another place") from None
    draft = Path(name)
    try:
        yield draft
        draft.chmod(0o600 if secret else 0o666 & ~marker.umask())
        check_file(path, force, inputs, secret)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    marker.add_to_marker(target)


@dataclass(frozen=True, slots=True)
class NewFolder:
    """A folder to write: see `check_folder` for its parameters."""

    path: str | Path
    kind: str | None
    """What it will hold; None for a folder that changes later and is never replaced, which gets no marker."""
    force: bool = False
    inputs: Sequence[str | Path] = ()
    secret: bool = False
    """Only the owner can read it."""

    @property
    def target(self) -> Path:
        """Where it really is, links followed."""
        return Path(self.path).resolve()

    def check(self) -> None:
        """Refuse a place that must not be written."""
        check_folder(self.path, self.kind or "", self.force and self.kind is not None, self.inputs)
        if self.secret:
            check_secret(self.target, named=str(self.path))

    def draft(self) -> Path:
        """Make a temporary folder beside it."""
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            return Path(tempfile.mkdtemp(prefix=f".{self.target.name}.", dir=self.target.parent))
        except OSError as error:
            raise OutputError(f"cannot write {str(self.path)!r} ({error.strerror}); choose another place") from None

    def finish(self, draft: Path) -> None:
        """Mark the temporary folder and set its permissions."""
        if self.kind is not None:
            marker.mark(draft, self.kind)
        if self.secret:
            for path in draft.rglob("*"):
                path.chmod(0o700 if path.is_dir() else 0o600)
        draft.chmod(0o700 if self.secret else 0o777 & ~marker.umask())


@contextmanager
def whole_folder(
    path: str | Path,
    kind: str | None,
    force: bool = False,
    inputs: Sequence[str | Path] = (),
    secret: bool = False,
) -> Iterator[Path]:
    """Give a temporary folder beside the target and move it there only when all went well."""
    with whole_folders(NewFolder(path, kind, force, inputs, secret)) as drafts:
        yield drafts[0]


@contextmanager
def whole_folders(*folders: NewFolder) -> Iterator[list[Path]]:
    """Give a temporary folder beside each target; when all went well all are moved to their places, else none."""
    for folder in folders:
        folder.check()
    drafts: list[Path] = []
    try:
        drafts.extend(folder.draft() for folder in folders)
        yield drafts
        for folder, draft in zip(folders, drafts, strict=True):
            folder.finish(draft)
            folder.check()
        _move_all([(draft, folder.target) for folder, draft in zip(folders, drafts, strict=True)])
    finally:
        for draft in drafts:
            shutil.rmtree(draft, ignore_errors=True)


def _move_all(moves: Sequence[tuple[Path, Path]]) -> None:
    """Move each draft to its place. Whatever stops it, the old folders come back to theirs."""
    aside: list[tuple[Path, Path]] = []
    placed: list[tuple[Path, Path]] = []
    try:
        for draft, target in moves:
            if target.exists():
                old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old-", dir=target.parent)) / target.name
                aside.append((old, target))
                os.replace(target, old)
            placed.append((draft, target))
            os.replace(draft, target)
    except BaseException:
        for draft, target in reversed(placed):
            if not draft.exists():
                os.replace(target, draft)
        for old, target in reversed(aside):
            if old.exists():
                os.replace(old, target)
            old.parent.rmdir()
        raise
    for old, _ in aside:
        with suppress(OSError):
            marker.remove_listed(old)
            old.parent.rmdir()
