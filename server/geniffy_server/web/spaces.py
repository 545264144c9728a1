"""`/app/spaces`: the memories an app keeps for its users: how much they hold, a copy to take away, erasing one."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import IO, Final

from starlette.responses import Response, StreamingResponse

from geniffy_server.domain.space import OWN, AccountId, SpaceSummary, space_name
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.services.spaces import erase_space, list_spaces
from geniffy_server.web.visit import Endpoint, Visit

Export = Callable[[AccountId, Sequence[str], Path], None]
"""Writes spaces of an account, by name, to a new file, as `geniffy-server import` reads it. Blocking."""

_PIECE_BYTES: Final = 1 << 16


async def show_spaces(visit: Visit) -> Response:
    """Spaces, most recently added to first; with `erase` the question before one goes."""
    erasing = visit.asked("erase")
    return await _spaces(visit, erasing, None)


async def take_erasing(visit: Visit) -> Response:
    """Erase a space, when its name was typed."""
    name = space_name(visit.sent("space"))
    if visit.sent("confirm").strip() != name:
        wrong = BadInput("That is not its name, so nothing was erased.", "not_confirmed")
        visit.request.scope["state"]["outcome"] = wrong.code
        return await _spaces(visit, name, wrong)
    await _find(visit, name)
    await erase_space(visit.ports, visit.caller, name)
    return visit.go("/app/spaces", done="erased")


def download_space(export: Export) -> Endpoint:
    """The endpoint that hands out a space, or without a name the person's own memory, as one file."""

    async def download(visit: Visit) -> Response:
        raw = visit.asked("space")
        name = OWN if raw is None else space_name(raw)
        file = await asyncio.to_thread(_written, export, visit.person.id, name)
        headers = {
            "Content-Disposition": f'attachment; filename="{name or "memory"}.jsonl"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingResponse(_pieces(file), media_type="application/jsonl", headers=headers)

    return download


def _written(export: Export, account_id: AccountId, name: str) -> IO[bytes]:
    """An open file with the space, that has no name on the disk any more: what is read from it is all that stays."""
    folder = Path(tempfile.mkdtemp(prefix="geniffy-"))
    try:
        export(account_id, [name], folder / "space")
        return os.fdopen(os.open(folder / "space", os.O_RDONLY | os.O_CLOEXEC), "rb")
    finally:
        shutil.rmtree(folder)


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
            yield piece


async def _find(visit: Visit, name: str) -> SpaceSummary:
    for space in await list_spaces(visit.ports, visit.caller):
        if space.name == name:
            return space
    raise NotFound(f"There is no space {name!r} here; it may have been erased.")


async def _spaces(visit: Visit, erasing: str | None, wrong: BadInput | None) -> Response:
    spaces = await list_spaces(visit.ports, visit.caller)
    chosen = next((space for space in spaces if space.name == erasing), None)
    is_missing = erasing is not None and chosen is None
    return visit.html(
        "spaces.html",
        404 if is_missing else wrong.status if wrong else 200,
        page="spaces",
        spaces=spaces,
        erasing=chosen,
        missing="There is no space of that name here; it may have been erased." if is_missing else None,
        wrong=wrong,
        done="Erased, with every key that was limited to it." if visit.asked("done") == "erased" else None,
    )
