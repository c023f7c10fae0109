"""The course of the competition: phases, pauses, announcements."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from sqlalchemy import select
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.contest import phases
from icefire.arena.contest.definition import in_utc
from icefire.arena.errors import Refused, WrongInput
from icefire.arena.storage.tables import AnnouncementRow
from icefire.arena.web.pages._kit import Asker, Judge, Organiser, Posted, page, see_other, text

router = APIRouter(prefix="/desk")


@router.get("/phases")
def show(request: Request, asker: Judge) -> Response:
    """Show when each phase of each round begins."""
    return _page(request, asker)


def _page(request: Request, asker: Asker, status: int = 200, problem: str | None = None) -> Response:
    with asker.arena.database.reading() as session:
        since = phases.paused_since(session)
    zone = ZoneInfo(asker.arena.definition.zone)
    return page(request, "admin/phases.html", status=status, since=since, zone=zone, problem=problem)


@router.post("/phases/{round_name}/move")
def move(request: Request, asker: Organiser, form: Posted, round_name: str) -> Response:
    """Have a phase begin at another time, or now."""
    try:
        at = None if text(form, "now") else _instant(text(form, "at"), asker)
        admin.move_phase(asker.arena, asker.actor, round_name, text(form, "phase"), at)
    except Refused as refused:
        return _page(request, asker, refused.status, str(refused))
    return see_other("/desk/phases", "desk.moved")


@router.post("/phases/{round_name}/extend")
def extend(request: Request, asker: Organiser, form: Posted, round_name: str) -> Response:
    """Have a phase, and all later ones of the round, begin later."""
    minutes = text(form, "minutes")
    try:
        if not minutes.isdecimal():
            raise WrongInput(f"minutes is {minutes!r}; it takes a whole number")
        admin.extend(asker.arena, asker.actor, round_name, text(form, "phase"), int(minutes[:9]))
    except Refused as refused:
        return _page(request, asker, refused.status, str(refused))
    return see_other("/desk/phases", "desk.extended")


def _instant(given: str, asker: Asker) -> datetime:
    """Read a time of the organiser's zone as a browser sends it; one with an offset is taken as it says."""
    try:
        return in_utc(datetime.fromisoformat(given), ZoneInfo(asker.arena.definition.zone))
    except ValueError:
        raise WrongInput(f"the time is {given!r}; it takes one such as 2026-05-01T09:00") from None


@router.post("/pause")
def pause(asker: Organiser, form: Posted) -> Response:
    """Stop every clock."""
    admin.pause(asker.arena, asker.actor)
    return see_other("/desk/phases", "desk.paused")


@router.post("/resume")
def resume(asker: Organiser, form: Posted) -> Response:
    """Go on."""
    admin.resume(asker.arena, asker.actor)
    return see_other("/desk/phases", "desk.resumed")


@router.get("/announcements")
def announcements(request: Request, asker: Judge) -> Response:
    """Show what was told to everybody."""
    return _announcements(request, asker)


def _announcements(
    request: Request, asker: Asker, status: int = 200, problem: str | None = None, filled: str = ""
) -> Response:
    with asker.arena.database.reading() as session:
        every = session.scalars(select(AnnouncementRow).order_by(AnnouncementRow.at.desc(), AnnouncementRow.id)).all()
    template = "admin/announcements.html"
    return page(request, template, status=status, announcements=every, problem=problem, filled=filled)


@router.post("/announcements")
def announce(request: Request, asker: Organiser, form: Posted) -> Response:
    """Tell everybody something."""
    words = text(form, "text")
    try:
        admin.announce(asker.arena, asker.actor, words)
    except WrongInput as wrong:
        return _announcements(request, asker, wrong.status, str(wrong), words)
    return see_other("/desk/announcements", "desk.announced")
