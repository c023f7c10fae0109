"""Object stores (s3://, gs://, az://), which polars reads: how it is set up first, and what its errors mean."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from functools import cache

from icefire.core.errors import InputError
from icefire.io.addresses import Place

RETRIES = "2"
"""A store that does not answer is asked three times; the eight of polars take minutes where nothing listens."""
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
"""Variables of the environment that hold credentials, by the beginning of an address."""
_KINDS = {"s3a": "s3", "gcs": "gs", "azure": "az", "adl": "az", "abfs": "az", "abfss": "az"}
_NO_CREDENTIALS = re.compile(
    r"latest/api/token|security-credentials|computeMetadata|metadata/identity|missing[- ]credential"
    r"|account must be specified|no (?:valid )?credentials",
    re.IGNORECASE,
)
"""Without credentials the machine is asked for its own by an address that only machines of the provider have."""
_NOT_ALLOWED = re.compile(r"\b40[13]\b|forbidden|unauthori[sz]ed|access ?denied|unauthenticated", re.IGNORECASE)
_NOT_THERE = re.compile(r"\bnot found\b|\b404\b|no such (?:key|bucket)", re.IGNORECASE)
_SILENT = re.compile(r"error sending request|timed out|dns error|connection refused", re.IGNORECASE)


@cache
def prepare() -> None:
    """Set polars up before it first reads from a store; what the user set stays.

    Text is fetched through files on disk, which older versions of polars leave behind for everybody to read: they go to
    a folder of their owner alone, which is removed at the end.
    """
    os.environ.setdefault("POLARS_CLOUD_MAX_RETRIES", RETRIES)
    if "POLARS_TEMP_DIR" not in os.environ:
        folder = tempfile.mkdtemp(prefix="icefire-store-")
        os.environ["POLARS_TEMP_DIR"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def explained(place: Place, reason: str) -> InputError | None:
    """Return what an error of a store means in our words; None where that is not known.

    Args:
        place: The address that was read.
        reason: First line of the error, without passwords.
    """
    kind = _KINDS.get(place.scheme or "", place.scheme or "")
    if _NO_CREDENTIALS.search(reason):
        variables = CREDENTIALS.get(kind, "the environment")
        return InputError(f"no credentials for {place.shown!r} were found; set {variables}, or download the file")
    if _NOT_ALLOWED.search(reason):
        return InputError(f"{place.shown!r} may not be read with these credentials; check them, and your rights")
    if _NOT_THERE.search(reason):
        return InputError(f"{place.shown!r} does not exist there; check the address")
    if _SILENT.search(reason):
        return InputError(f"the store of {place.shown!r} does not answer; check the address and the network")
    return None
