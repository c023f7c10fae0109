"""Opening a bundle from an untrusted source: every name, size and hash is checked before a file is written.

Only names that a bundle of ours can have are accepted, plus the data files that its definition names. Nothing inside is
unpacked a second time, so a bundle inside a bundle is an unknown name.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from icefire.arena.bundle import manifest as manifests
from icefire.arena.bundle.manifest import Manifest
from icefire.core.errors import InputError

MOST_FILES = 200_000
MOST_BYTES = 64 << 30
MOST_READ = 512 << 20
MOST_RATIO = 200
SMALL = 1 << 20
"""What is smaller when unpacked may be packed as tightly as it likes."""
MOST_NAME = 200
DATA = "data/"
_OURS = re.compile(
    r"manifest\.json|contest\.toml|README\.txt|tables/[a-z_]{1,40}\.jsonl|results/[a-z0-9-]{1,60}\.(?:csv|json)"
    r"|store/release/[0-9a-f]{32}/[a-z0-9_]{1,40}\.csv"
    r"|vault/(?:handed|truth|guess)/[0-9a-f]{32}/[a-z0-9_]{1,40}\.csv|vault/key"
    r"|vault/handed/[0-9a-f]{32}/recipe\.toml"
)
_TAKEN = ("store", "vault", "spool", "contest.toml", "arena.db", "arena.db-wal", "arena.db-shm")
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Pack:
    """A bundle whose list of contents is in order."""

    archive: zipfile.ZipFile
    manifest: Manifest

    def read(self, name: str) -> bytes:
        """Return one file, if it is what the manifest says and not too large to be held in memory."""
        if self.manifest.files[name].bytes > MOST_READ:
            raise InputError(f"{name!r} in the bundle is larger than {MOST_READ:,} bytes; nothing was written")
        with _damage_told(name):
            data = self.archive.read(name)
        self._check(name, hashlib.sha256(data).hexdigest())
        return data

    def unpack(self, name: str, target: Path) -> None:
        """Write one file, piece by piece."""
        digest = hashlib.sha256()
        target.parent.mkdir(parents=True, exist_ok=True)
        with _damage_told(name), self.archive.open(name) as packed, target.open("xb") as file:
            while piece := packed.read(SMALL):
                digest.update(piece)
                file.write(piece)
        self._check(name, digest.hexdigest())

    def check_all(self) -> None:
        """Read every file, and refuse a bundle in which one is not what the manifest says."""
        for name in self.manifest.files:
            digest = hashlib.sha256()
            with _damage_told(name), self.archive.open(name) as packed:
                while piece := packed.read(SMALL):
                    digest.update(piece)
            self._check(name, digest.hexdigest())

    def _check(self, name: str, sha256: str) -> None:
        if sha256 != self.manifest.files[name].sha256:
            raise InputError(f"the bundle is damaged: {name!r} is not what its manifest says; get it again")


@contextmanager
def opened(path: Path) -> Iterator[Pack]:
    """Open a bundle and check its list of contents; nothing is written."""
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read ({error.strerror or error}); give a bundle") from None
    except _DAMAGE as error:
        raise InputError(f"{str(path)!r} is not a bundle ({error}); make one with: icefire arena export") from None
    with archive:
        entries = _entries(archive)
        if manifests.FILE not in entries:
            raise InputError(f"{str(path)!r} has no {manifests.FILE}; it is not a bundle of a competition")
        if entries[manifests.FILE].file_size > manifests.MOST_BYTES:
            raise InputError(f"the bundle's {manifests.FILE} is larger than {manifests.MOST_BYTES:,} bytes")
        with _damage_told(manifests.FILE):
            manifest = manifests.read(archive.read(manifests.FILE))
        _check_listed(manifest, entries)
        yield Pack(archive, manifest)


@contextmanager
def _damage_told(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise InputError(f"the bundle is damaged at {name!r}: {error}; get it again") from None


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name if they may be unpacked at all."""
    every = archive.infolist()
    if len(every) > MOST_FILES:
        raise InputError(f"the bundle holds {len(every):,} files; at most {MOST_FILES:,} are taken")
    total = sum(one.file_size for one in every)
    if total > MOST_BYTES:
        raise InputError(f"the bundle would unpack to {total:,} bytes; at most {MOST_BYTES:,} are taken")
    entries: dict[str, zipfile.ZipInfo] = {}
    seen: set[str] = set()
    for one in every:
        _check_entry(one)
        same = unicodedata.normalize("NFKC", one.filename).casefold()
        if same in seen:
            raise InputError(f"the bundle holds {_shown(one.filename)} twice; one of them is not ours")
        seen.add(same)
        entries[one.filename] = one
    return entries


def _check_entry(one: zipfile.ZipInfo) -> None:
    name = one.orig_filename
    if name != one.filename or not (_OURS.fullmatch(name) or is_data_name(name)):
        raise InputError(f"the bundle holds a file named {_shown(name)}, which no bundle has; nothing was written")
    if stat.S_IFMT(one.external_attr >> 16) not in (0, stat.S_IFREG):
        raise InputError(f"{_shown(name)} in the bundle is a link or no plain file; nothing was written")
    if one.flag_bits & 0x1 or one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"{_shown(name)} in the bundle is encrypted or packed in a way that is not taken")
    if one.file_size > max(SMALL, MOST_RATIO * one.compress_size):
        raise InputError(
            f"{_shown(name)} would unpack from {one.compress_size:,} to {one.file_size:,} bytes, more than "
            f"{MOST_RATIO} times as many; nothing was written"
        )


def is_data_name(name: str) -> bool:
    """Tell whether a name is one a data file may have, below the folder data/."""
    if not name.startswith(DATA) or len(name.encode("utf-8", "surrogatepass")) > MOST_NAME:
        return False
    inner = name.removeprefix(DATA)
    return _is_plain(inner) and _is_plain(unicodedata.normalize("NFKC", inner))


def _is_plain(path: str) -> bool:
    """Tell a relative path that stays in its folder on every system and takes no name of the arena's own."""
    parts = path.split("/")
    letters = all(letter not in '\\:*?"<>|' and unicodedata.category(letter)[0] != "C" for letter in path)
    whole = all(part and not part.startswith(".") and part == part.strip(" .") for part in parts)
    return letters and whole and parts[0].casefold() not in _TAKEN


def _check_listed(manifest: Manifest, entries: dict[str, zipfile.ZipInfo]) -> None:
    """Refuse a bundle that holds other files than its manifest says, or a public one with a secret."""
    names = set(entries) - {manifests.FILE}
    differ = names.symmetric_difference(manifest.files)
    if differ:
        raise InputError(f"the bundle and its manifest differ about {_shown(min(differ))}; nothing was written")
    for name in names:
        if entries[name].file_size != manifest.files[name].bytes:
            raise InputError(f"the bundle is damaged: {_shown(name)} has not the size its manifest says")
        if manifest.public and name.startswith("vault/"):
            raise InputError(f"the bundle says it is public and holds {_shown(name)}; nothing was written")


def check_room(pack: Pack, folder: Path) -> None:
    """Refuse what would not fit on the disk."""
    needed = sum(one.bytes for one in pack.manifest.files.values())
    place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    free = shutil.disk_usage(place).free
    if needed > free:
        raise InputError(f"the bundle unpacks to {needed:,} bytes; {str(place)!r} has {free:,} free: make room first")


def place_of(name: str) -> PurePosixPath | None:
    """Return where a file goes in the competition's folder; None for what is only for readers."""
    if name.startswith(DATA):
        return PurePosixPath(name.removeprefix(DATA))
    return PurePosixPath(name) if name.startswith(("store/", "vault/")) or name == "contest.toml" else None


def _shown(name: str) -> str:
    return repr(name if len(name) <= 60 else f"{name[:60]}…")
