"""A small provider of OpenID Connect, run as a process of its own: python oidc_provider.py; it prints its port.

It lets everybody in as whoever was last told at /control, checks PKCE, the client's secret and the address to return
to, and takes each code once. What it is told there can also make it lie: claims, key, algorithm.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "cup", "the client's own secret"
KEYS = {"right": RSAKey.generate_key(2048, {"kid": "one"}), "wrong": RSAKey.generate_key(2048, {"kid": "one"})}
CODES: dict[str, dict[str, str]] = {}
TOLD: dict[str, object] = {}


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider(BaseHTTPRequestHandler):
    """Answers."""

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            self.say(
                {
                    "issuer": TOLD.get("issuer", self.issuer),
                    "authorization_endpoint": f"{self.issuer}/authorize",
                    "token_endpoint": f"{self.issuer}/token",
                    "jwks_uri": f"{self.issuer}/keys",
                    "authorization_response_iss_parameter_supported": True,
                }
            )
        elif parts.path == "/keys":
            self.say({"keys": [KEYS["right"].as_dict(private=False)]})
        elif parts.path == "/authorize":
            assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"  # noqa: PT018
            code = secrets.token_urlsafe(16)
            CODES[code] = asked
            back = {"code": code, "state": asked["state"], "iss": TOLD.get("answer_iss", self.issuer)}
            self.send_response(302)
            self.send_header("location", f"{asked['redirect_uri']}?{urlencode(back)}")
            self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/control":
            TOLD.clear()
            TOLD.update(json.loads(body))
            self.say({})
            return
        given = {name: values[0] for name, values in parse_qs(body).items()}
        asked = CODES.pop(given["code"], None)
        wanted = (
            "Basic " + base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '%20')}".replace("'", "%27").encode()).decode()
        )
        challenge = base64.urlsafe_b64encode(hashlib.sha256(given["code_verifier"].encode()).digest()).rstrip(b"=")
        right = asked is not None and self.headers.get("authorization") == wanted
        if not right or asked["code_challenge"] != challenge.decode() or asked["redirect_uri"] != given["redirect_uri"]:
            self.say({"error": "invalid_grant"}, 400)
            return
        self.say({"access_token": "x", "token_type": "Bearer", "id_token": self.token(asked)})

    def token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": "1", "nonce": asked["nonce"], "iat": now, "exp": now + 300}
        claims |= TOLD.get("claims", {})
        claims = {name: value for name, value in claims.items() if value is not None}
        algorithm = TOLD.get("algorithm", "RS256")
        if algorithm in ("none", "HS256"):
            signed = ".".join(packed(json.dumps(one).encode()) for one in ({"alg": algorithm}, claims))
            public = KEYS["right"].as_pem(private=False)  # as if it were a secret
            mark = hmac.digest(public, signed.encode(), "sha256") if algorithm == "HS256" else b""
            return f"{signed}.{packed(mark)}"
        return jwt.encode({"alg": algorithm, "kid": "one"}, claims, KEYS[TOLD.get("key", "right")])

    def say(self, body: object, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    print(server.server_address[1], flush=True)
    server.serve_forever()
