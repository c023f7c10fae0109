"""The teams of the demo with their recipes and attacks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from icefire.samples import households

TITLE = "Ice and fire: a demo"
ABOUT = (
    "Seven teams with recipes and attacks of icefire, on synthetic households. "
    "The preliminary round is over; in the final everybody attacks."
)
PRELIMINARY, FINAL = "preliminary", "final"
ORGANISER = "organiser"
CHEATER = "Team Delta"

TeamSteps = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack by its name, with its parameters."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Player:
    """A team: what it hands in, how it attacks, and how many releases of each round it attacks."""

    name: str
    preliminary: tuple[TeamSteps, ...]
    final: tuple[TeamSteps, ...]
    attack: Attack
    most: int
    """Releases it attacks in the preliminary round."""
    most_final: int
    """Releases of the final it has attacked so far."""
    takes_back: bool = False
    """Whether it withdraws its first release while it may and hands in others."""

    @property
    def accounts(self) -> tuple[str, str]:
        """The names its two members log in with."""
        short = self.name.rpartition(" ")[2].lower()
        return f"{short}-1", f"{short}-2"


def step(method: str, **parameters: Any) -> dict[str, Any]:
    """Return one step of a recipe."""
    return {"method": method, **parameters}


MOVED = step("shuffle", columns=list(households.QI), together=True)
"""Who people are is dealt out anew, whole descriptions at a time: every one of them exists, and belongs to another."""

PLAYERS = (
    # Balanced: small classes of people who look alike, and their spending mixed inside them.
    Player(
        "Team Aurora",
        preliminary=((step("k_anonymize", k=3), step("average")), (step("k_anonymize", k=4), step("average"))),
        final=((step("k_anonymize", k=3), step("average")), (step("k_anonymize", k=4), step("swap"))),
        attack=Attack("id_sa"),
        most=4,
        most_final=4,
    ),
    # Safe and useless: half of the rows, averaged in groups of ten, or noise that drowns everything.
    Player(
        "Team Basalt",
        preliminary=(
            (step("sample_rows", share=0.5), MOVED, step("microaggregate", k=10)),
            (step("k_anonymize", k=20), step("laplace", epsilon=0.5, low=0, high=100_000)),
        ),
        final=((step("k_anonymize", k=20), step("laplace", epsilon=1.0, low=0, high=100_000)),),
        attack=Attack("sort"),
        most=3,
        most_final=0,
    ),
    # Useful and found out: averages those who look the same, and many are alone.
    Player(
        "Team Comet",
        preliminary=(
            (step("round_values", base=1000),),
            (step("average"),),
            (step("unify", columns=["industry", "firm_size"]), step("average")),
        ),
        final=((step("unify", columns=["industry", "firm_size", "tenure"]), step("average")),),
        attack=Attack("euc1", {"scale": "standard"}),
        most=7,
        most_final=5,
        takes_back=True,
    ),
    # Cheats in the preliminary round: the original as it is, with a false correspondence.
    Player(
        CHEATER,
        preliminary=((step("permute_index"),),),
        final=((step("pram", keep=0.6), step("noise", scale=0.2)),),
        attack=Attack("id_rand"),
        most=3,
        most_final=1,
    ),
    # All fire: looks for the nearest spender among everybody, and protects its own data badly.
    Player(
        "Team Ember",
        preliminary=((step("top_code", quantile=0.95),),),
        final=((step("noise", scale=0.1),),),
        attack=Attack("euc2", {"qi": [], "scale": "standard"}),
        most=99,
        most_final=7,
    ),
    # By the textbook: k-anonymity, then mixed or averaged spending within the classes.
    Player(
        "Team Fjord",
        preliminary=(
            (step("top_code", quantile=0.99), step("k_anonymize", k=5), step("swap")),
            (step("k_anonymize", k=10), step("average")),
        ),
        final=((step("k_anonymize", k=5), step("average")), (step("k_anonymize", k=3), step("swap"))),
        attack=Attack("euc2", {"scale": "standard"}),
        most=5,
        most_final=6,
    ),
    # Adds noise.
    Player(
        "Team Glacier",
        preliminary=(
            (step("rank_swap", p=15),),
            (step("correlated_noise", scale=0.3, keep_spread=True),),
        ),
        final=((MOVED, step("rank_swap", p=15)), (step("noise", scale=0.5),)),
        attack=Attack("sa_nearest"),
        most=5,
        most_final=3,
    ),
)
