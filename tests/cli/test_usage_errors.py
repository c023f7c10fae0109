"""Words typed wrongly: one line that says what is wrong and what to do next, in the language asked for."""

from __future__ import annotations

import re

import pytest
from support.commands import run_icefire

ERRORS = {
    ("anonymize", "people.csv", "-o", "out"): "icefire anonymize needs the option --recipe (",
    ("inspect",): "icefire inspect needs ",
    ("inspect", "people.csv", "--sheat", "x"): "icefire inspect has no option --sheat; did you mean --sheet? see: ",
    ("inspekt", "people.csv"): "icefire has no command inspekt; did you mean inspect? see: icefire --help",
    ("inspect", "a.csv", "b.csv"): "icefire inspect takes no more words, and got b.csv; see: icefire inspect --help",
    ("inspect", "a.csv", "--qi"): "option --qi has no value; write one after it; see: icefire inspect --help",
    ("inspect", "a.csv", "--qi", "--sa", "b"): "option --qi has no value; write one after it; see: icefire inspect ",
    ("recipe", "check", "r.toml", "--qi"): "option --qi has no value; write one after it; see: icefire recipe check ",
    ("study", "p1-releases", "--rows", "60"): "Invalid value for '-n' / '--rows': 60 is not in the range x>=100; see: ",
}
IN_JAPANESE = {
    ("anonymize", "people.csv", "-o", "out"): "icefire anonymize には --recipe が必要です",
    ("inspect",): "icefire inspect には ",
    ("inspect", "people.csv", "--sheat", "x"): "--sheet の誤りではありませんか。使い方：icefire inspect --help",
    ("inspekt", "people.csv"): "icefire に inspekt というコマンドはありません。inspect の誤りではありませんか",
    ("inspect", "a.csv", "b.csv"): "icefire inspect に余分な語 b.csv があります",
    ("inspect", "a.csv", "--qi"): "--qi に値がありません",
    ("study", "p1-releases", "--rows", "60"): "の値が使えません：60 は範囲 x>=100 にありません",
}


@pytest.mark.parametrize("words", ERRORS, ids=" ".join)
def test_what_is_typed_wrongly_is_one_error(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    done = run_icefire(capsys, *words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"icefire: error: {ERRORS[words]}")
    assert " --help" in done.err


@pytest.mark.parametrize("words", IN_JAPANESE, ids=" ".join)
def test_it_is_said_in_japanese(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    done = run_icefire(capsys, "--lang", "ja", *words)
    assert done.code == 2
    assert IN_JAPANESE[words] in done.err
    assert "see:" not in done.err


def test_a_group_without_a_command_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    done = run_icefire(capsys, "recipe")
    assert "init" in done.out + done.err
    assert "icefire: error" not in done.err


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("audit", ["ORIGINAL", "RELEASED"]),
        ("attack", ["NAME", "ORIGINAL", "RELEASED"]),
        ("check", ["CONTEST", "FILES"]),
    ],
)
def test_the_help_names_arguments_as_the_docs_do(
    capsys: pytest.CaptureFixture[str], command: str, names: list[str]
) -> None:
    usage = next(line for line in run_icefire(capsys, command, "--help").out.splitlines() if "Usage" in line)
    assert [word for word in re.findall(r"\w+", usage.partition("[OPTIONS]")[2]) if word] == names
