"""The engine `partitioned`: one machine, tables larger than memory, buckets as files on disk."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from icefire.core.errors import OutputError, ParameterError
from icefire.core.parts import ROW, WEIGHT, Bucket, Job, Scan, Side
from icefire.engines.batch_files import Batch
from icefire.engines.bucket_files import BucketFiles, check_room, told_where_full
from icefire.engines.coding import CodedTables
from icefire.engines.memory import BUCKETS_AT_ONCE, MemoryPlan
from icefire.engines.raw_tables import PolarsTable
from icefire.engines.tables import EngineTables
from icefire.kernels.common import threads
from icefire.kernels.types import Int

SIDES: tuple[Side, Side] = ("original", "released")
MARKER = "icefire_parts.json"
"""Names what a scratch folder holds."""
FORMAT = 2
"""How the files of buckets are laid out; those of another version are not read."""


class PartitionedTables(EngineTables):
    """Two tables in buckets on disk. Memory is bounded by the plan; what was written whole is used again."""

    def __init__(
        self,
        original: PolarsTable,
        released: PolarsTable,
        coded: CodedTables,
        memory: MemoryPlan,
        scratch: str | Path | None = None,
        numbers: Int | None = None,
    ) -> None:
        """Put both tables into buckets by their quasi-identifiers.

        Args:
            original: The original table.
            released: The released table.
            coded: How their columns become numbers.
            memory: Rows that are taken at a time.
            scratch: Folder for the buckets, kept afterwards so that a run that was stopped can go on. Default: a
                temporary folder.
            numbers: Number of each released row, in the order the attacker sees. Default: the order of the file.
        """
        super().__init__(coded)
        self._sources: dict[Side, PolarsTable] = {"original": original, "released": released}
        self._memory, self._numbers = memory, numbers
        self._is_temporary = scratch is None
        self.folder = Path(tempfile.mkdtemp(prefix="icefire-")) if scratch is None else Path(scratch)
        try:
            self._claim_folder()
            check_room(self.folder, coded.row_bytes() * (original.height + released.height))
            self._default = self._bucketed(self.schema.qi)
        except BaseException:
            self.close()
            raise

    @property
    def buckets(self) -> int:
        """Number of buckets."""
        return self._default.buckets

    @property
    def working(self) -> int:
        """Bytes of memory that the limit leaves for what is worked on."""
        return self._memory.working

    @property
    def disk(self) -> Path:
        """Folder of the buckets."""
        return self.folder

    def run_job(self, job: Job) -> Iterator[pl.DataFrame]:
        """Run a job on all buckets, some at a time; a large one in pieces where the job allows it."""
        files = self._files_for(job)
        counted = [files.counts(side) for side, columns in _needed(job).items() if columns is not None]
        rows = np.sum(counted, axis=0)
        if not job.keys:
            yield from self._run_one_class(job, files, int(np.sum(rows)))
            return
        places = self.places
        large = rows > 2 * self._memory.bucket_rows
        if not job.splits and not job.distinct and large.any():
            self._check_fits(job, int(rows.max()))

        def worked_on(number: int) -> pl.DataFrame:
            x, y = (self._read(job, files, side, number) for side in SIDES)
            return job.part(Bucket(x, y, self.schema, places))

        yield from threads.in_turn(worked_on, np.flatnonzero(~large & (rows > 0)).tolist(), BUCKETS_AT_ONCE)
        for number in np.flatnonzero(large).tolist():
            if job.splits:
                yield from self._run_pieces(job, files, number)
            else:
                yield worked_on(number)

    def _run_one_class(self, job: Job, files: BucketFiles, rows: int) -> Iterator[pl.DataFrame]:
        """Run a job without keys: all rows are one class."""
        if job.splits:
            yield from self._run_pieces(job, files, None)
            return
        self._check_fits(job, rows)
        x, y = (self._read(job, files, side, None) for side in SIDES)
        yield job.part(Bucket(x.sort(ROW), y, self.schema, self.places))

    def _run_pieces(self, job: Job, files: BucketFiles, number: int | None) -> Iterator[pl.DataFrame]:
        """Run a job on each piece of the original with each piece of the release; None takes all buckets together."""
        known, shown = (self._columns(job, side) for side in SIDES)
        rows = self._memory.bucket_rows
        for y in files.pieces("released", number, shown, rows):
            held: list[pl.DataFrame] = []
            for x in files.pieces("original", number, known, rows):
                held.append(job.part(Bucket(x, y, self.schema, self.places)))
                if job.merge is not None:
                    held = [job.merge(pl.concat(held))]
            yield from held

    def _read(self, job: Job, files: BucketFiles, side: Side, number: int | None) -> pl.DataFrame:
        """Read the columns of a job from a bucket, or all, of one table; none where the job does not need the table."""
        if _needed(job)[side] is None:
            return self.coded.empty(job.keys, WEIGHT if job.distinct else ROW)
        if job.distinct:
            return files.distinct(side, number, job.keys, self._memory.bucket_rows)
        return files.read(side, number, self._columns(job, side))

    def _columns(self, job: Job, side: Side) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*job.keys, *(_needed(job)[side] or ()))))

    def _check_fits(self, job: Job, rows: int) -> None:
        width = max(self.coded.row_bytes(self._columns(job, side)) for side in SIDES)
        self._memory.check_bucket(rows, width, job.name)

    def scan(self, scan: Scan) -> Iterator[pl.DataFrame]:
        """Run a scan on the rows of one table, some batches at a time."""
        self.check_columns(scan.needed)
        groups = self._default.groups(scan.side, self._memory.bucket_rows)

        def worked_on(group: Sequence[Batch]) -> pl.DataFrame:
            return scan.part(self._default.whole(group, scan.needed))

        yield from threads.in_turn(worked_on, groups, BUCKETS_AT_ONCE)

    def kept(self, name: str, compute: Callable[[], Int]) -> Int:
        """Return whole numbers, one per released row: those a stopped run kept in the folder, or computed now."""
        path = self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.npy"
        if path.exists():
            results: Int = np.load(path)
            return results
        values = compute()
        draft = path.with_suffix(".part")
        with told_where_full(self.folder), draft.open("wb") as file:
            np.save(file, values)
        os.replace(draft, path)
        return values

    def close(self) -> None:
        """Delete the buckets unless they are in a folder of the user's."""
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _files_for(self, job: Job) -> BucketFiles:
        """Return buckets that hold whole classes of the job's keys."""
        for columns in _needed(job).values():
            self.check_columns((*job.keys, *(columns or ())))
        own = self._default.keys
        is_finer = bool(own) and set(own) <= set(job.keys)
        # Jobs without keys take all buckets together, whichever they are.
        return self._default if is_finer or not job.keys else self._bucketed(job.keys)

    def _bucketed(self, keys: tuple[str, ...]) -> BucketFiles:
        rows = self.originals + self.targets
        buckets = max(1, -(-rows // self._memory.bucket_rows))
        name = hashlib.sha256("\x1f".join(keys).encode()).hexdigest()[:16]
        files = BucketFiles(self.folder / f"buckets-{name}", self.coded, keys, buckets)
        files.write("original", self._sources["original"], self._memory.batch_rows, None)
        files.write("released", self._sources["released"], self._memory.batch_rows, self._numbers)
        return files

    def _claim_folder(self) -> None:
        """Write into a new or empty folder what it holds; refuse one that holds something else."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise OutputError(f"cannot write {str(self.folder)!r} ({error.strerror}); choose another folder") from None
        marker, content = self.folder / MARKER, self._fingerprint()
        if marker.exists():
            if marker.read_text(encoding="utf-8") != content:
                raise ParameterError(
                    f"--scratch: {str(self.folder)!r} holds parts of other tables or of other options; name another "
                    "folder, or delete this one"
                )
        elif any(self.folder.iterdir()):
            raise ParameterError(f"--scratch: {str(self.folder)!r} is not empty; name a new or an empty folder")
        else:
            draft = marker.with_suffix(".part")
            draft.write_text(content, encoding="utf-8")
            os.replace(draft, marker)

    def _fingerprint(self) -> str:
        """Describe everything that the buckets depend on."""
        tables = {
            side: [table.name, table.digest, table.height, {name: str(one) for name, one in table.dtypes.items()}]
            for side, table in self._sources.items()
        }
        order = "" if self._numbers is None else hashlib.sha256(self._numbers.tobytes()).hexdigest()
        columns = [[code.name, str(code.dtype)] for code in self.coded.codes]
        facts = {side: {name: repr(one) for name, one in of.items()} for side, of in self.coded.facts.items()}
        plan = [self._memory.batch_rows, self._memory.bucket_rows]
        return json.dumps([FORMAT, tables, order, columns, facts, list(self.schema.qi), plan], sort_keys=True)


def _needed(job: Job) -> dict[Side, tuple[str, ...] | None]:
    """Return the columns that a job needs of each table besides its keys; None for a table it does not need."""
    return {"original": job.original, "released": job.released}
