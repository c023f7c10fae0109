"""What the report's glossary takes from docstrings."""

from __future__ import annotations

from icefire.report.html import glossary


def test_a_definition_is_the_summary_and_the_details_without_arguments_and_results():
    text = glossary.description("""Draw one row.

    The attacker knows `qi`. Returns: is no title inside a line.

    Args:
        qi: Columns.

    Returns:
        A row.
    """)
    assert text == "Draw one row.\n\nThe attacker knows `qi`. Returns: is no title inside a line."
    assert glossary.description("One line.") == "One line."


def test_a_registered_attack_is_defined_by_its_scenario():
    definition = glossary.define("attack", "id_rand", "attack-1")
    assert definition.text.startswith("Draw one original row")
    assert definition.text.endswith("The judge also gets the exact expectation.")
