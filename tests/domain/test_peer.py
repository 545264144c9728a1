"""Whom calls from an address count against."""

from __future__ import annotations

import pytest

from geniffy_server.domain.peer import peer_of


@pytest.mark.parametrize(
    ("host", "peer"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, "unknown"),
        ("testclient", "testclient"),
    ],
)
def test_a_subscriber_of_ipv6_counts_as_one(host: str | None, peer: str) -> None:
    assert peer_of(host) == peer
