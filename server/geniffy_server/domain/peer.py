"""Whom calls from an address count against."""

from __future__ import annotations

import ipaddress


def peer_of(host: str | None) -> str:
    """The address, or the network that one subscriber of IPv6 is given (RFC 6177); `unknown` for none."""
    try:
        address = ipaddress.ip_address((host or "").partition("%")[0])
    except ValueError:
        return host or "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
