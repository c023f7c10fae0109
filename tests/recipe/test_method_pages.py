"""The pages of the methods show releases that the script beside them can make again."""

from __future__ import annotations

import importlib.util

import pytest
from support.places import ROOT


@pytest.fixture(scope="module")
def maker():
    """The script that writes the columns of the joint attack."""
    spec = importlib.util.spec_from_file_location("make_methods", ROOT / "docs" / "make_methods.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = """# m

| release | rows | E1 |
|---|--:|--:|
| *as it is* | 10 | 1 % |
| k = 5, then [swap](swap.md) | 10 | 2 % |

text
"""


def test_columns_are_written_after_the_rows_and_again_in_place(maker):
    cells = {"*as it is*": {"link": "100 %"}, "k = 5, then swap": {"link": "9 %"}}
    once = maker.with_columns(PAGE, cells, ["link"])
    assert "| release | rows | link | E1 |\n|---|--:|--:|--:|\n| *as it is* | 10 | 100 % | 1 % |" in once
    assert "| k = 5, then [swap](swap.md) | 10 | 9 % | 2 % |\n\ntext" in once
    again = maker.with_columns(once, cells | {"k = 5, then swap": {"link": "8 %"}}, ["link"])
    assert again == once.replace("9 %", "8 %")


def test_every_release_of_every_page_has_its_steps(maker):
    for name, releases in (maker.RELEASES | maker.HISTORIES).items():
        page = (maker.PAGES / f"{name}.md").read_text(encoding="utf-8")
        labels = set(maker.labels(page)) - {maker.UNCHANGED}
        assert labels == set(releases), name


def test_the_page_of_every_method_for_tables_shows_what_the_joint_attack_finds(maker):
    for name in maker.RELEASES:
        page = (maker.PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert f"{maker.HEAD} link |" in page, f"run python docs/make_methods.py {name}"


def test_a_share_below_everybody_is_not_written_as_everybody(maker):
    assert maker.share(1.0) == "100 %"
    assert maker.share(0.99999) == "99.9 %"
    assert maker.share(0.0) == "0 %"


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["rank_swap", "noise", "coarsen_dates"])
def test_the_figures_are_those_of_a_fresh_run(maker, name):
    page = (maker.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert maker.measured(name, page) == page
