"""The attacker who knows the recipe: what the attack `replay` gets, what it did, and what stands in the way without it.

The recipe comes from the user, from the release folder, or is guessed. The attack gets copies of the original, made
here by the steps that draw nothing; it gets neither the seed nor anything of the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from icefire.audit.correspondence import LoadedRelease
from icefire.audit.plan import AuditPlan
from icefire.core.errors import IcefireError, ParameterError
from icefire.core.release import Guess, ReplayedCopy
from icefire.core.scorecard import Reason, ReplayFindings
from icefire.core.types import Progress
from icefire.recipe.likely import likely_recipes
from icefire.recipe.load import load
from icefire.recipe.replay import repeatable, replayed_copies, words
from icefire.recipe.steps import Recipe
from icefire.words import said, t

REPLAY = "replay"
NOT_CHOSEN = "is not among the attacks chosen; add it to them"
NO_RECIPE = "needs the recipe; pass --recipe FILE, or --method-known to try likely ones"
NOTHING_TO_REPEAT = "knows no more than link: no step of the recipe can be repeated without its seed or secret"
NO_GUESS_OF_HISTORIES = (
    "guesses recipes of tables only (how a history was coarsened, link reads by itself); "
    "name the recipe with --recipe FILE"
)
NOTHING_LIKELY = "found no method that explains the release; name the recipe with --recipe FILE"


@dataclass(frozen=True, slots=True)
class KnownRecipe:
    """What the attacker knows of how a release was made."""

    copies: tuple[ReplayedCopy[Any], ...] = ()
    findings: ReplayFindings | None = None
    """What is known before the attack; None where there is no recipe."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """The attack, if it cannot run, with the reason."""
    blocks: bool = False
    """The release does not pass without the attack."""


NOTHING_KNOWN = KnownRecipe(left_out={REPLAY: NO_RECIPE})


def known_recipe(release: LoadedRelease[Any], plan: AuditPlan, progress: Progress) -> KnownRecipe:
    """Find the recipe of a release, and repeat on the original what can be repeated.

    Args:
        release: The release, and the original as it was read.
        plan: Which attacks run, and what the user says of the recipe.
        progress: Called with the name of each stage.

    Returns:
        The copies for the attack, or why there are none.

    Raises:
        ParameterError: If the recipe is for other data, or the attack was named and there is no recipe.
        IcefireError: If the recipe that was named cannot be read or does not fit the original.
    """
    given = plan.recipe is not None or plan.method_known
    if not plan.runs_attack(REPLAY):
        if given:
            raise ParameterError("--recipe and --method-known are for the attack replay; add it to the attacks chosen")
        return KnownRecipe(left_out={REPLAY: NOT_CHOSEN}, blocks=bool(release.recipe.get("steps")))
    if not given and not release.recipe.get("steps"):
        if plan.attacks is not None:
            raise ParameterError(f"attack {REPLAY!r} {NO_RECIPE}")
        return NOTHING_KNOWN
    progress("fire: repeating the recipe")
    if plan.recipe is not None:
        name = str(plan.recipe) if isinstance(plan.recipe, str | Path) else ""
        return _replayed(release, load(plan.recipe), "given", name)
    if release.recipe.get("steps"):
        try:
            return _replayed(release, load(without_notes(release.recipe)), "release", "")
        except IcefireError as error:
            reason = f"cannot repeat the recipe kept with the release ({error.message})"
            return KnownRecipe(left_out={REPLAY: reason}, blocks=True)
    return _guessed(release)


def without_notes(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe as run as one that can be run."""
    steps = [{name: value for name, value in step.items() if name != "notes"} for step in recipe["steps"]]
    return {"steps": [{name: value for name, value in step.items() if value is not None} for step in steps]}


def _replayed(release: LoadedRelease[Any], recipe: Recipe, source: str, name: str) -> KnownRecipe:
    copies = replayed_copies(release.original_as_read, recipe)
    learned = [words(step) for step in recipe.steps if not repeatable(step)]
    repeated = [words(step) for step in recipe.steps if repeatable(step)]
    findings = ReplayFindings(source, name, repeated, learned)
    return KnownRecipe(copies, findings, {} if copies else {REPLAY: NOTHING_TO_REPEAT})


def _guessed(release: LoadedRelease[Any]) -> KnownRecipe:
    """Try what is likely; copies of all likely recipes are put to the attack, which keeps the likeliest."""
    original = release.original_as_read
    if original.kind == "history":
        return KnownRecipe((), ReplayFindings("guessed"), {REPLAY: NO_GUESS_OF_HISTORIES}, blocks=True)
    copies = [
        copy for recipe in likely_recipes(original, release.published) for copy in replayed_copies(original, recipe)
    ]
    findings = ReplayFindings("guessed")
    return KnownRecipe(tuple(copies), findings, {} if copies else {REPLAY: NOTHING_LIKELY}, blocks=True)


def repeats_steps(recipe: Mapping[str, Any]) -> bool:
    """Tell whether whoever knows a recipe as run could repeat a step of it; one that cannot be read may have such."""
    if not recipe.get("steps"):
        return False
    try:
        return any(repeatable(step) for step in load(without_notes(recipe)).steps)
    except IcefireError:
        return True


def replay_findings(known: KnownRecipe, guess: Guess | None) -> ReplayFindings | None:
    """Return what was repeated, and whether it explains the release; None where no recipe is known."""
    if known.findings is None:
        return None
    source, name, learned = known.findings.source, known.findings.recipe, known.findings.learned
    if guess is None:
        return ReplayFindings(source, name, [], [*known.findings.repeated, *learned], False)
    repeated = list(guess.notes.get("steps", ()))
    undone = [step for step in known.findings.repeated if step not in repeated]
    return ReplayFindings(source, name, repeated, [*learned, *undone], bool(guess.notes.get("explained")))


def replay_missing(known: KnownRecipe, findings: ReplayFindings | None) -> list[Reason]:
    """Refuse to pass a release if the attacker who knows the recipe was to be tried and could not be.

    Args:
        known: What was known of the recipe.
        findings: What the attack did.
    """
    if not known.blocks:
        return []
    why = known.left_out.get(REPLAY, "")
    if not why and (findings is None or not findings.explained):
        why = NOTHING_LIKELY
    if not why:
        return []
    text = t("verdict.further.replay", attack=REPLAY, why=said(why))
    return [Reason("not_assessed", text, {"attack": REPLAY})]
