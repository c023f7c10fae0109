"""Where a request comes from: the other end of its connection or, for proxies that are trusted, what they say."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.requests import HTTPConnection

from icefire.core.errors import ParameterError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
UNKNOWN = "unknown"


def trusted_networks(written: Iterable[str]) -> tuple[Network, ...]:
    """Read addresses and networks of proxies, such as 127.0.0.1 or 10.0.0.0/24."""
    return read_networks(written, "--behind-proxy (trusted_proxies in contest.toml)")


def read_networks(written: Iterable[str], option: str) -> tuple[Network, ...]:
    """Read addresses and networks that an option names."""
    networks = []
    for one in written:
        try:
            networks.append(ipaddress.ip_network(one.strip()))
        except ValueError:
            raise ParameterError(
                f"{option} has {one!r}; it takes addresses or networks, such as 127.0.0.1 or 10.0.0.0/24"
            ) from None
    return tuple(networks)


def address_of(request: HTTPConnection) -> str:
    """Return where a request comes from, as far as tries and places are counted by it."""
    trusted: tuple[Network, ...] = request.app.state.trusted_proxies
    at = peer(request)
    named = [part for line in request.headers.getlist("x-forwarded-for") for part in line.split(",")]
    while at is not None and is_inside(at, trusted) and named:
        at = _read(named.pop())  # written by the nearest proxy; what stands before it anybody can write
    return UNKNOWN if at is None else counted_as(at)


def peer(request: HTTPConnection) -> Address | None:
    """Return the other end of the connection; None where it has no address."""
    return _read(request.client.host if request.client else "")


def is_inside(address: Address, networks: Iterable[Network]) -> bool:
    """Tell whether an address is in one of the networks."""
    return any(address in one for one in networks)


def _read(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, ipaddress.IPv6Address) else address


def counted_as(address: Address) -> str:
    """Return what an address counts as: one line at home has 2**64 of version 6."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def of_connection(host: str | None) -> str:
    """Return what the other end of a connection counts as."""
    address = _read(host or "")
    return UNKNOWN if address is None else counted_as(address)
