"""Results for pipelines: JUnit, SARIF and Markdown, exit codes, and releases listed in a file."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from support import report_card
from support.commands import run_icefire

from icefire import InputError, use_language
from icefire.audit import release_list
from icefire.core.scorecard import Limit, Reason, Scorecard, Verdict
from icefire.report.pipelines.checks import RULES, checks_of_scorecard
from icefire.report.pipelines.junit import as_junit
from icefire.report.pipelines.markdown import as_markdown
from icefire.report.pipelines.sarif import as_sarif

QUICK = 'qi = ["age"]\nsa = ["pay"]\naligned = true\nattacks = ["id_rand"]\nmeasures = ["k_min"]\npolicy = "internal"\n'
TABLE = "age,pay\n30,100\n31,250\n40,300\n41,410\n50,520\n51,680\n"
SECRET_REASON = Reason("identifier", "Column <name> | holds `names`.", {"column": "name"})


def card(passed: bool | None, limits: list[Limit], reasons: list[Reason]) -> Scorecard:
    verdict = Verdict(passed, "A headline", "All of it in words.", reasons=reasons)
    return report_card.full_card(limits=limits, verdict=verdict)


BROKEN = Limit("reid", "max", 0.05, 0.5, False)
KEPT = Limit("k_min", "min", 5, 6, True)
CARDS = {
    "a broken limit": card(False, [BROKEN, KEPT], [Reason("limit", "Too many are identified.")]),
    "another reason": card(False, [KEPT], [SECRET_REASON]),
    "a reason without any code known": card(False, [], [Reason("new_code", "Something else.")]),
    "not judged": card(None, [KEPT], []),
    "no reason given": card(False, [], []),
}


@pytest.mark.parametrize("name", CARDS)
def test_what_does_not_pass_has_a_broken_check_everywhere(name: str) -> None:
    checks = checks_of_scorecard(CARDS[name], "out/released.csv")
    assert not checks.passed
    assert checks.broken
    suite = ElementTree.fromstring(as_junit([checks]))[0]
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == len(checks.broken)
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
    assert len(json.loads(as_sarif([checks]))["runs"][0]["results"]) == len(checks.broken)
    assert "❌" in as_markdown([checks])


def test_what_passes_has_no_broken_check() -> None:
    checks = checks_of_scorecard(card(True, [KEPT], []), "released.csv")
    assert (checks.passed, checks.broken) == (True, [])
    assert 'failures="0"' in as_junit([checks])
    assert json.loads(as_sarif([checks]))["runs"][0]["results"] == []
    assert "✅" in as_markdown([checks])


def test_sarif_has_what_its_standard_requires() -> None:
    several = [checks_of_scorecard(one, "my data/released.csv") for one in CARDS.values()]
    log = json.loads(as_sarif(several))
    assert log["version"] == "2.1.0"
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"] == "icefire"
        rules = [rule["id"] for rule in driver["rules"]]
        assert len(set(rules)) == len(rules)
        for result in run["results"]:
            assert result["message"]["text"]
            assert result["level"] == "error"
            assert rules[result["ruleIndex"]] == result["ruleId"]
            place = result["locations"][0]["physicalLocation"]
            assert place["artifactLocation"]["uri"] == "my%20data/released.csv"
            assert place["region"]["startLine"] >= 1
    assert "new_code" in {result["ruleId"] for result in log["runs"][0]["results"]}


def test_sarif_has_what_github_requires() -> None:
    """See "SARIF support for code scanning": of all fingerprints GitHub reads `primaryLocationLineHash` alone."""
    for language in ("en", "ja"):
        with use_language(language):
            log = json.loads(as_sarif([checks_of_scorecard(one, "released.csv") for one in CARDS.values()]))
        for rule in log["runs"][0]["tool"]["driver"]["rules"]:
            texts = [rule["shortDescription"]["text"], rule["fullDescription"]["text"], rule["help"]["text"]]
            assert all(0 < len(text) <= 1024 for text in texts)
        results = log["runs"][0]["results"]
        for result in results:
            region = result["locations"][0]["physicalLocation"]["region"]
            assert region == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
        keys = {(one["ruleId"], one["partialFingerprints"]["icefireCheck/v1"]) for one in results}
        hashes = {(one["ruleId"], one["partialFingerprints"]["primaryLocationLineHash"]) for one in results}
        assert len(hashes) == len(keys)


def test_sarif_points_at_the_table_of_a_release_folder(tmp_path: Path) -> None:
    """Code hosts show results at files; at a folder they show none."""
    (tmp_path / "released.parquet").write_bytes(b"")
    log = json.loads(as_sarif([checks_of_scorecard(next(iter(CARDS.values())), str(tmp_path))]))
    places = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in log["runs"][0]["results"]
    }
    assert places == {(tmp_path / "released.parquet").as_uri()}


def test_checks_are_told_apart_in_every_language() -> None:
    """Code hosts merge results of one fingerprint, and readers of JUnit those of one name."""
    columns = [Reason("not_assessed", f"Nobody looked at {name}.", {"columns": [name]}) for name in ("pay", "age")]
    alike = [Reason("verbatim", "Rows.", {"rows": 3}), Reason("verbatim", "More rows.", {"rows": 4})]
    prints = {}
    for language in ("en", "ja"):
        with use_language(language):
            checks = checks_of_scorecard(card(False, [], [*columns, *alike]), "released.csv")
            results = json.loads(as_sarif([checks]))["runs"][0]["results"]
        prints[language] = [result["partialFingerprints"]["icefireCheck/v1"] for result in results]
        suite = ElementTree.fromstring(as_junit([checks]))[0]
        assert len({case.attrib["name"] for case in suite.findall("testcase")}) == 4
    assert len(set(prints["en"])) == 4
    assert prints["en"] == prints["ja"]


def test_names_cannot_become_markup() -> None:
    checks = checks_of_scorecard(CARDS["another reason"], "released.csv")
    assert "Column \\<name\\> \\| holds \\`names\\`." in as_markdown([checks])
    hostile = msgspec.structs.replace(CARDS["another reason"], verdict=Verdict(False, "a\x00b\n# c", "\x1b[31m"))
    ElementTree.fromstring(as_junit([checks_of_scorecard(hostile, "x.csv")]))
    assert "\n# c" not in as_markdown([checks_of_scorecard(hostile, "x.csv")])


def test_the_codes_of_reasons_have_a_rule() -> None:
    assert {"limit", "identifier", "not_assessed", "verbatim", "correspondence"} <= set(RULES)


def test_a_score_has_a_limit_and_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "job.md")
    for name in ("truth.csv", "guess.csv"):
        Path(name).write_text("0\n1\n2\n", encoding="utf-8")
    Path("job.md").write_text("before\n", encoding="utf-8")
    assert run_icefire(capsys, "score", "truth.csv", "guess.csv").code == 0
    words = ("score", "truth.csv", "guess.csv", "--max-reid", "0.5", "--junit", "j.xml", "--sarif", "s.json")
    assert run_icefire(capsys, *words).code == 1
    assert 'failures="1"' in Path("j.xml").read_text("utf-8")
    assert json.loads(Path("s.json").read_text("utf-8"))["runs"][0]["results"][0]["ruleId"] == "limit"
    job = Path("job.md").read_text("utf-8")
    assert job.startswith("before\n")
    assert job.count("##") == 2
    assert run_icefire(capsys, *words, "--summary", "none/x.md").code == 2


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "data").mkdir()
    for name in ("original.csv", "released.csv"):
        (tmp_path / "data" / name).write_text(TABLE, encoding="utf-8")
    entry = f'[[release]]\noriginal = "$DATA/original.csv"\nreleased = "data/released.csv"\n{QUICK}'
    (tmp_path / "icefire.toml").write_text(entry, encoding="utf-8")
    monkeypatch.setenv("DATA", str(tmp_path / "data"))
    return tmp_path


def test_the_gate_audits_what_a_file_lists(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("gate", "--junit", "j.xml", "--sarif", "s.json", "--summary", "s.md", "--html-folder", "reports")
    done = run_icefire(capsys, *words, "data/released.csv")
    assert done.code == 1
    assert "does not pass" in done.out
    assert (listed / "reports" / "1-released.html").is_file()
    assert all((listed / name).is_file() for name in ("j.xml", "s.json", "s.md"))


def test_the_gate_leaves_out_releases_that_did_not_change(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (listed / "README.md").write_text("words", encoding="utf-8")
    assert run_icefire(capsys, "gate", "README.md").code == 0
    [release] = release_list.load(listed / "icefire.toml")
    assert release.depends_on([listed / "data" / "original.csv"])
    assert not release.depends_on([listed / "README.md"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no release"),
        ("[[release]]\n", "original is None"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\nalined = true\n', "did you mean 'aligned'"),
        ('[[release]]\noriginal = "$NOWHERE/a"\nreleased = "b"\n', "variable is not set"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\nhtml = "original.csv"\n', "ends in .html"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\npolicy = {max_reid = 0.5}\n', "policy is .*; it takes text"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\nseed = "x"\n', "seed is 'x'; it takes a whole number"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\naligned = "yes"\n', "it takes true or false"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\nmax_reid = true\n', "it takes a number"),
        ('[[release]]\noriginal = "a"\nreleased = "b"\nqi = {age = 1}\n', "it takes text or a list"),
        ("[release\n", "is not TOML"),
        ('title = "x"\n', "unknown entry 'title'"),
    ],
)
def test_a_wrong_list_is_one_clear_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "icefire.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        release_list.load(tmp_path / "icefire.toml")


def test_a_file_that_is_missing_does_not_pass_silently(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (listed / "data" / "original.csv").unlink()
    assert run_icefire(capsys, "gate").code == 2
