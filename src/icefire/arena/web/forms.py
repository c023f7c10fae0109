"""Reading the fields and files of a posted form."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile

from icefire.arena.errors import TooLarge, WrongInput
from icefire.arena.web.requester import Requester


def text(form: FormData, name: str) -> str:
    """Return a field of a form; one that is missing is empty."""
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def optional_upload(form: FormData, name: str, requester: Requester) -> dict[str, bytes]:
    """Return a file by its name, if it was sent with a form."""
    value = form.get(name)
    sent = isinstance(value, UploadFile) and bool(value.filename)
    return {name: upload(form, name, requester)} if sent else {}


def upload(form: FormData, name: str, requester: Requester) -> bytes:
    """Return the content of a file sent with a form, if it is not too large."""
    value = form.get(name)
    if not isinstance(value, UploadFile) or not value.filename:
        raise WrongInput(f"the file {name} is missing; choose it and send again")
    most = requester.arena.definition.max_upload_mb
    if value.size is not None and value.size > most << 20:
        raise TooLarge(f"the file {name} has {value.size / (1 << 20):,.1f} MB; at most {most} MB are taken")
    return value.file.read()
