"""The sockets a server listens on, taken before anything else so that a taken port is told at once."""

from __future__ import annotations

import errno
import socket

from geniffy_server.errors import Unavailable


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address that `host` names, all on one port; port 0 takes a free one.

    They are bound but don't accept yet. Raises Unavailable when an address can't be had.
    """
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as fault:
        raise Unavailable(f"The host {host!r} is not known here ({fault.strerror}); try --host 127.0.0.1.") from fault
    bound: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            one = socket.socket(family, kind, protocol)
            bound.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            chosen = bound[0].getsockname()[1] if len(bound) > 1 else port
            one.bind((address[0], chosen, *address[2:]))
    except OSError as fault:
        for one in bound:
            one.close()
        raise Unavailable(_why(host, port, fault)) from fault
    return bound


def _why(host: str, port: int, fault: OSError) -> str:
    if fault.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken; stop what listens there, or choose another with --port."
    if fault.errno == errno.EACCES:
        return f"Port {port} may not be taken by this user; choose one above 1023 with --port."
    return f"The address {host}:{port} can't be listened on: {fault.strerror}."
