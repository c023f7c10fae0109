"""When each phase of each round begins: moving a phase, extending one, pausing all of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.admin import timetable
from icefire.arena.boards import revealing
from icefire.arena.contest import phases
from icefire.arena.contest.instants import in_utc, in_zone
from icefire.arena.errors import Refused, WrongInput
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Judge, Organiser, Requester
from icefire.core.errors import InputError

PAGE = Page("admin/phases", "/desk/phases", menus=(MenuEntry(ADMIN, 40, "desk.phases"),))


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """Show when each phase of each round begins."""
    return _page(request, requester)


def _page(
    request: Request,
    requester: Requester,
    status: int = 200,
    problem: str | None = None,
    ask: dict[str, str] | None = None,
) -> Response:
    """Show the phases; `ask` is a phase of a round that would begin at once, to be confirmed."""
    arena = requester.arena
    with arena.database.reading() as db:
        since = phases.paused_since(db)
        undo = {one.name: timetable.way_back(db, arena, one.name) for one in arena.definition.rounds}
        lacking = revealing.missing(db, ask["round"]).results if ask and ask["phase"] == "reveal" else ()
    zone = ZoneInfo(arena.definition.zone)
    values: dict[str, Any] = {
        "since": since,
        "local": lambda at: in_zone(at, zone),
        "problem": problem,
        "ask": ask,
        "lacking": lacking,
        "undo": undo,
    }
    return PAGE.render(request, status=status, **values)


@PAGE.post("/{round_name}/move")
def move(request: Request, requester: Organiser, form: PostedForm, round_name: str) -> Response:
    """Have a phase begin at another time, or now."""
    try:
        at = None if text(form, "now") else read_local_time(text(form, "at"), requester.arena.definition.zone)
        confirmed = bool(text(form, "confirmed"))
        admin.move_phase(requester.arena, requester.actor, round_name, text(form, "phase"), at, confirmed=confirmed)
    except admin.Unconfirmed as unconfirmed:
        ask = {"round": round_name, "phase": text(form, "phase")}
        return _page(request, requester, unconfirmed.status, ask=ask)
    except Refused as refused:
        return _page(request, requester, refused.status, str(refused))
    return see_other("/desk/phases", "desk.moved")


@PAGE.post("/{round_name}/undo")
def undo(request: Request, requester: Organiser, form: PostedForm, round_name: str) -> Response:
    """Take back that a phase was begun at once."""
    try:
        admin.undo_begin(requester.arena, requester.actor, round_name)
    except Refused as refused:
        return _page(request, requester, refused.status, str(refused))
    return see_other("/desk/phases", "desk.undone")


@PAGE.post("/{round_name}/extend")
def extend(request: Request, requester: Organiser, form: PostedForm, round_name: str) -> Response:
    """Have a phase, and all later ones of the round, begin later."""
    minutes = text(form, "minutes")
    try:
        if not minutes.isdecimal():
            raise WrongInput(f"minutes is {minutes!r}; it takes a whole number")
        admin.extend(requester.arena, requester.actor, round_name, text(form, "phase"), int(minutes[:9]))
    except Refused as refused:
        return _page(request, requester, refused.status, str(refused))
    return see_other("/desk/phases", "desk.extended")


def read_local_time(written: str, zone: str) -> datetime:
    """Read a time of the organiser's zone as a browser sends it; one with an offset is taken as it says."""
    try:
        return in_utc(datetime.fromisoformat(written), ZoneInfo(zone))
    except ValueError:
        raise WrongInput(f"the time is {written!r}; it takes one such as 2026-05-01T09:00") from None
    except InputError as error:
        raise WrongInput(str(error)) from None


@PAGE.router.post("/desk/pause")
def pause(requester: Organiser, form: PostedForm) -> Response:
    """Stop every clock."""
    admin.pause(requester.arena, requester.actor)
    return see_other("/desk/phases", "desk.paused")


@PAGE.router.post("/desk/resume")
def resume(requester: Organiser, form: PostedForm) -> Response:
    """Go on."""
    admin.resume(requester.arena, requester.actor)
    return see_other("/desk/phases", "desk.resumed")
