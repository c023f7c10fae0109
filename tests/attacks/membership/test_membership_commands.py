"""Attacks on membership where people meet them: the audit, the page, and the verbs for a contest's files."""

from __future__ import annotations

import numpy as np
from support.commands import run_icefire as run
from support.membership_attacks import ATTACKS, contest_data, contest_table, left_out, survey

import icefire
from icefire.core import membership
from icefire.core.membership import Draw
from icefire.report import html
from icefire.report.sentences import membership as sentences


def test_an_audit_lists_every_attack_in_terminal_and_page(tmp_path, capsys):
    data = survey(300)
    data.frame.write_csv(tmp_path / "known.csv")
    kept = np.arange(0, 300, 2)
    data.frame[kept].write_csv(tmp_path / "shown.csv")
    np.savetxt(tmp_path / "truth.csv", kept, fmt="%d")
    done = run(
        *(capsys, "audit", tmp_path / "known.csv", tmp_path / "shown.csv", "--truth", tmp_path / "truth.csv"),
        *("--ask", "membership", "--qi", "gen,age,race,edu,mar", "--sa", "bmi,dia", "--html", tmp_path / "page.html"),
    )
    assert done.code == 1, "rows are published verbatim"
    page = (tmp_path / "page.html").read_text()
    section = page[page.index('<section id="membership"') :]
    section = section[: section.index("</section>")]
    for name in ATTACKS:
        assert name in done.out
        assert name in section
    assert "call everybody a member and have no advantage" in section
    assert "The most dangerous attack is" in " ".join(done.out.split())


def test_who_calls_everybody_a_member_is_not_drawn():
    data = survey(300)
    kept = np.arange(0, 300, 2)
    card = icefire.audit(data, data.frame[kept], truth=kept, ask=("membership",)).scorecard
    assert card.membership
    drawn = [name for name, _ in sentences.distinguishing(card.membership)]
    claiming = sentences.claiming_everybody(card.membership)
    assert {"all_members", "far_candidate", "random_candidate"} <= set(claiming)
    assert sorted(drawn + claiming) == ATTACKS
    assert "rlink" in drawn
    assert "near_density" in html.render(card)


@contest_data
def test_the_contest_is_attacked_and_scored_from_files_without_a_header(tmp_path, capsys):
    data = contest_table()
    comparison = left_out(data, np.arange(0, data.height, 3))
    case, truth = membership.sample(comparison, Draw(), np.random.default_rng(1))
    case.records.frame.write_csv(tmp_path / "CT.csv", include_header=False)
    case.released.frame.write_csv(tmp_path / "D.csv", include_header=False)
    np.savetxt(tmp_path / "EA.csv", truth.rows, fmt="%d")
    where = [tmp_path / name for name in ("CT.csv", "D.csv", "E.csv", "EA.csv")]
    done = run(capsys, "attack", "rlink", *where[:2], "--contest", "pwscup2021", "-o", where[2])
    assert done.code == 0
    assert len(where[2].read_text().splitlines()) == 100
    assert "Top k: 100.0 %" in run(capsys, "score", where[3], where[2]).out
