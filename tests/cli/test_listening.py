"""Taking a port before anything else."""

from __future__ import annotations

import socket

import pytest

from geniffy_server.commands.listening import listen
from geniffy_server.errors import Unavailable


def test_port_0_takes_a_free_port_on_every_address_of_the_host() -> None:
    bound = listen("localhost", 0)

    try:
        ports = {one.getsockname()[1] for one in bound}
        assert len(ports) == 1
        assert ports != {0}
    finally:
        for one in bound:
            one.close()


def test_a_taken_port_is_told_in_a_sentence_that_names_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(Unavailable, match=f"Port {port} on 127.0.0.1 is taken"):
            listen("127.0.0.1", port)


def test_a_host_that_is_not_known_is_told_in_a_sentence() -> None:
    with pytest.raises(Unavailable, match=r"'no-such-host\.invalid' is not known here"):
        listen("no-such-host.invalid", 0)


def test_an_address_of_another_machine_is_told_in_a_sentence() -> None:
    with pytest.raises(Unavailable, match=r"192\.0\.2\.1:0 can't be listened on"):
        listen("192.0.2.1", 0)
