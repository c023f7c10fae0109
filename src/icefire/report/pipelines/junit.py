"""Checks as JUnit XML: a suite for each release, a test case for each check."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from icefire.report.pipelines.checks import Checks
from icefire.report.text.notes import safe


def as_junit(several: Sequence[Checks]) -> str:
    """Write the checks of one or several releases."""
    root = ElementTree.Element("testsuites", name="icefire")
    for one in several:
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=safe(one.subject),
            tests=str(len(one.checks)),
            failures=str(len(one.broken)),
            errors="0",
            skipped="0",
            time=f"{one.seconds:.3f}",
        )
        for check in one.checks:
            case = ElementTree.SubElement(suite, "testcase", classname=safe(one.subject), name=safe(check.name))
            if not check.holds:
                text = safe(check.text)
                ElementTree.SubElement(case, "failure", type=check.rule, message=text).text = text
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
