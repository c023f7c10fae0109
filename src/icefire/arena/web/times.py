"""Times for people: the organiser's zone, UTC beside it, and how long it is until then."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from markupsafe import Markup

from icefire.arena.contest.instants import in_zone
from icefire.arena.web.languages import Words

DAY = 24 * 3600
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = {"en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), "ja": tuple("月火水木金土日")}


def iso(at: datetime) -> str:
    """Return an instant for a machine, in UTC."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@lru_cache(20_000)
def when(at: datetime, zone: ZoneInfo, language: str, exact: bool = True) -> Markup:
    """Return an instant in the organiser's zone, and in UTC where that differs; seconds only if they matter."""
    rounded = at if exact else at.replace(second=0)
    local, world = in_zone(rounded, zone), rounded.astimezone(UTC)
    written = f"{day(local, language)} {clock(local)} {local:%Z}"
    if local.utcoffset() == world.utcoffset():
        return Markup('<time datetime="{}"><span class="local">{}</span></time>').format(iso(at), written)
    other = f"{clock(world)} UTC" if local.date() == world.date() else f"{day(world, language)} {clock(world)} UTC"
    return Markup('<time datetime="{}"><span class="local">{}</span> <span class="utc">({})</span></time>').format(
        iso(at), written, other
    )


def day(at: datetime, language: str) -> str:
    """Return a date as people of a language write it."""
    weekday = WEEKDAYS[language][at.weekday()]
    if language == "ja":
        return f"{at.year}年{at.month}月{at.day}日({weekday})"
    return f"{weekday} {at.day} {MONTHS[at.month - 1]} {at.year}"


def clock(at: datetime) -> str:
    """Return the time of day; seconds only where there are some."""
    return f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"


def countdown(at: datetime, now: datetime, words: Words) -> Markup:
    """Return how long it is until an instant; the page's script counts it down."""
    return Markup('<span class="countdown" data-until="{}">{}</span>').format(
        iso(at), left((at - now).total_seconds(), words)
    )


def left(seconds: float, words: Words) -> str:
    """Return a length of time: days and hours, or a clock within the last day."""
    whole = max(0, int(seconds))
    days, rest = divmod(whole, DAY)
    hours, minutes = divmod(rest // 60, 60)
    if days:
        return words.plain("time.days_hours", days=days, hours=hours)
    return f"{hours:02}:{minutes:02}:{rest % 60:02}"
