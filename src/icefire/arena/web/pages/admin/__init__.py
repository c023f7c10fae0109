"""The organiser's desk, one file for each of its pages. Judges read it and have things judged again."""

from __future__ import annotations

from fastapi import APIRouter

from icefire.arena.web.pages.admin import accounts, bundle, contest, log, overview, submissions, teams

router = APIRouter(include_in_schema=False)
for _page in (overview, teams, accounts, contest, submissions, log, bundle):
    router.include_router(_page.router)
