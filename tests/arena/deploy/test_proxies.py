"""nginx and Caddy with the files of deploy/, in front of two real servers."""

from __future__ import annotations

import re
import shutil
import signal
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.arena.fixtures import player, release_files
from support.arena.server import free_port, serving, token, write_contest
from support.places import ROOT

DEPLOY = ROOT / "deploy"
SECONDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, original: Any) -> Path:
    return write_contest(tmp_path_factory.mktemp("proxied") / "cup", original)


@pytest.fixture(scope="module")
def servers(folder: Path) -> Iterator[list[str]]:
    """Two servers of one competition, one of them judging."""
    with ExitStack() as stack:
        addresses = [
            stack.enter_context(serving(folder, "--behind-proxy", "127.0.0.1", *more))
            for more in ((), ("--no-worker",))
        ]
        yield [address.removeprefix("http://") for address in addresses]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for cup.example that nobody else has signed, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    place = tmp_path_factory.mktemp("certificate")
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "cup.example")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("cup.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (place / "fullchain.pem").write_bytes(made.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (place / "key.pem").write_bytes(private)
    return place / "fullchain.pem", place / "key.pem"


def nginx(place: Path, servers: list[str], certificate: tuple[Path, Path], port: int) -> list[str]:
    """Write the example with addresses of this test; returns the command that starts it."""
    text = (DEPLOY / "nginx" / "icefire.conf").read_text()
    for known, new in (
        ("127.0.0.1:8001", servers[0]),
        ("127.0.0.1:8002", servers[1]),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/cup.example/fullchain.pem", str(certificate[0])),
        ("/etc/ssl/cup.example/key.pem", str(certificate[1])),
    ):
        assert known in text, known
        text = text.replace(known, new)
    temporary = "".join(
        f"{kind}_temp_path {place}/{kind};\n" for kind in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
    )
    (place / "nginx.conf").write_text(
        f"pid {place}/nginx.pid;\nerror_log {place}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{text}}}\n"
    )
    return ["nginx", "-p", str(place), "-c", str(place / "nginx.conf"), "-g", "daemon off;"]


def caddy(place: Path, servers: list[str], certificate: tuple[Path, Path], port: int) -> list[str]:
    text = (DEPLOY / "caddy" / "Caddyfile").read_text()
    here = f"https://cup.example:{port} {{\n\tbind 127.0.0.1\n\ttls {certificate[0]} {certificate[1]}"
    for known, new in (
        ("127.0.0.1:8001 127.0.0.1:8002", " ".join(servers)),
        ("\ncup.example {\n", f"\n{here}\n"),
    ):
        assert known in text, known
        text = text.replace(known, new)
    (place / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{text}")
    return ["caddy", "run", "--config", str(place / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxied(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    servers: list[str],
    certificate: tuple[Path, Path],
) -> Iterator[httpx.Client]:
    """A browser that reaches the servers through a proxy."""
    program = request.param.__name__
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    place, port = tmp_path_factory.mktemp(program), free_port()
    command = request.param(place, servers, certificate, port)
    environment = {"PATH": "/usr/sbin:/usr/bin", "HOME": str(place), "XDG_DATA_HOME": str(place)}
    with (place / "output").open("wb") as output:
        process = subprocess.Popen(
            [shutil.which(program) or program, *command[1:]], stdout=output, stderr=output, env=environment
        )
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    transport = _At(port, trusted)
    try:
        with httpx.Client(transport=transport, base_url=f"https://cup.example:{port}", timeout=SECONDS) as client:
            _wait(client, process, place / "output")
            yield client
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)


class _At(httpx.HTTPTransport):
    """Reaches cup.example at a port of this machine."""

    def __init__(self, port: int, trusted: ssl.SSLContext) -> None:
        super().__init__(verify=trusted)
        self._port = port

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["sni_hostname"] = "cup.example"
        request.url = request.url.copy_with(host="127.0.0.1")
        return super().handle_request(request)


def _wait(client: httpx.Client, process: Any, output: Path) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, output.read_text()
        try:
            if client.get("/health/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"the proxy does not answer: {output.read_text()}")


def test_pages_come_over_https_with_secure_cookies(proxied: httpx.Client) -> None:
    page = proxied.get("/login", headers={"Accept-Encoding": "gzip"})
    assert page.status_code == 200
    assert "Secure" in page.headers["set-cookie"]
    assert "strict-transport-security" in page.headers
    assert "content-encoding" not in page.headers
    assert re.fullmatch("[0-9A-Za-z-]{16,64}", page.headers["x-request-id"])


def test_large_answers_to_programs_are_compressed(proxied: httpx.Client) -> None:
    answer = proxied.get("/api/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json()["openapi"]


def test_metrics_do_not_go_through(proxied: httpx.Client) -> None:
    assert proxied.get("/metrics").status_code == 404
    assert proxied.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 404


def test_events_come_at_once(proxied: httpx.Client) -> None:
    with proxied.stream("GET", "/events") as stream:
        assert next(line for line in stream.iter_lines() if line.startswith("event:"))


def test_a_release_is_handed_in_through_it(
    proxied: httpx.Client,
    folder: Path,
    original: Any,
    request: pytest.FixtureRequest,
) -> None:
    from icefire.arena.contest.arena import open_arena

    arena, name = open_arena(folder), request.node.callspec.id
    headers = {"Authorization": f"Bearer {token(arena, player(arena, name, name))}"}
    files = {part.removesuffix(".csv"): (part, data) for part, data in release_files(original, 3).items()}
    answer = proxied.post("/api/v1/releases", files=files, headers=headers)
    assert answer.status_code == 201, answer.text
    assert proxied.get(f"/api/v1/receipts/{answer.json()['id']}", headers=headers).json() == answer.json()
    arena.database.close()
