"""Files kept exactly: put, get, list, move and delete (seed 001)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from geniffy_server.caller import Caller
from geniffy_server.domain.file import (
    DELETED_PER_CALL,
    File,
    FileEntry,
    FilePath,
    PathPrefix,
    etag,
    external_id_of_path,
    moved,
)
from geniffy_server.domain.source import NewPassage, Source
from geniffy_server.domain.space import Space
from geniffy_server.errors import Changed, Conflict, NotFound
from geniffy_server.learn.read import passages as passages_of
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, writable
from geniffy_server.services.adding import fresh_source, lay_passages, settle
from geniffy_server.services.owner_names import settle_owner_name
from geniffy_server.services.removing import remove_source
from geniffy_server.services.scrubbing import owe_scrub, scrub


@dataclass(frozen=True, slots=True)
class Put:
    """What a write did."""

    file: File
    created: bool
    source: Source


@dataclass(frozen=True, slots=True)
class FilePage:
    """Files in path order by code points; `next` is the next cursor or None."""

    files: Sequence[FileEntry]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class Condition:
    """What a write demands of the file that is there (decisions 13, RFC 9110 13.1).

    `etags`: the stored text has one of these; `("*",)`: any file is there. `absent`: no file is there. `none_of`: the
    stored text, if any, has none of these.
    """

    etags: tuple[str, ...] | None = None
    absent: bool = False
    none_of: tuple[str, ...] = ()

    def refuses(self, held: File | None, text: str) -> bool:
        """Whether a write of `text` must not happen. Text equal to what is stored is a retry, and is let through."""
        if held is not None and held.text == text:
            return False
        if held is not None and (self.absent or (self.none_of and etag(held.text) in self.none_of)):
            return True
        if self.etags is None:
            return False
        return held is None or ("*" not in self.etags and etag(held.text) not in self.etags)


ALWAYS = Condition()


async def put_file(
    ports: Ports,
    caller: Caller,
    path: FilePath,
    text: str,
    labels: Mapping[str, str] | None = None,
    condition: Condition = ALWAYS,
) -> Put:
    """Write a file whole; what is new in it will be learned, what it no longer says is taken back.

    The text is kept as it is, secrets included; what is learned from it is masked (decisions 9). Raises Changed when
    the condition does not hold, and then nothing was written.
    """
    passages, withheld = await asyncio.to_thread(_read, text)

    def work(tx: Transaction) -> Put:
        space, rev = writable(tx, caller)
        held = tx.files.find(space.id, path)
        if condition.refuses(held, text):
            raise Changed(
                f"{path} was changed by someone else in the meantime; read it again and repeat the edit."
                if held
                else f"{path} is not there any more; nothing was written."
                if condition.etags
                else f"There is a file at {path} already."
            )
        now = ports.clock.now()
        before = tx.sources.by_external_id(space.id, external_id_of_path(path)) if held else None
        source = before or fresh_source(caller, "kept", external_id_of_path(path), now)
        if before is None:
            source = replace(source, title=path, title_given=True, said_at=now)
        if labels is not None:
            source = replace(source, labels=labels)
        is_same = held is not None and held.text == text
        file = File(path, text, len(text), held.updated_at if held and is_same else now, source.id)
        if not is_same:
            tx.spaces.added(space.id, now)
            source = replace(source, said_at=now, withheld=withheld)
            tx.files.put(space.id, file)
        change = lay_passages(tx, space, source.id, passages, rev, now)
        if change.removed:
            settle_owner_name(tx, space)
        return Put(file, held is None, settle(tx, space, source, change, now, is_new=before is None))

    put = await ports.store.write(work)
    if put.source.status == "reading":
        ports.bell.ring()
    return put


def _read(text: str) -> tuple[list[NewPassage], int]:
    masked = mask(text)
    return passages_of(masked.text), masked.withheld


async def get_file(ports: Ports, caller: Caller, path: FilePath) -> File:
    """The file with its text, character for character. Raises NotFound."""

    def work(tx: Transaction) -> File:
        space = readable(tx, caller)
        file = tx.files.find(space.id, path) if space else None
        if file is None:
            raise no_file(path)
        return file

    return await ports.store.read(work)


async def list_files(ports: Ports, caller: Caller, prefix: PathPrefix, *, limit: int, cursor: int) -> FilePage:
    """Files whose path starts with `prefix`, character by character."""

    def work(tx: Transaction) -> FilePage:
        space = readable(tx, caller)
        if space is None:
            return FilePage([], 0, None)
        files, total = tx.files.page(space.id, prefix, limit, cursor)
        after = cursor + len(files)
        return FilePage(files, total, after if files and after < total else None)

    return await ports.store.read(work)


async def delete_file(ports: Ports, caller: Caller, path: FilePath) -> None:
    """Delete a file with every memory only it taught. Raises NotFound."""

    def work(tx: Transaction) -> None:
        space, rev = writable(tx, caller)
        if tx.files.find(space.id, path) is None:
            raise no_file(path)
        now = ports.clock.now()
        owe_scrub(tx, now)
        _remove(tx, space, path, rev, now)
        settle_owner_name(tx, space)

    await ports.store.write(work)
    await scrub(ports)


async def delete_under(ports: Ports, caller: Caller, prefix: PathPrefix) -> tuple[int, bool]:
    """Delete up to 100 files under a prefix, in path order: how many went, and whether more are left."""

    def work(tx: Transaction) -> tuple[int, bool]:
        space, rev = writable(tx, caller)
        found = tx.files.under(space.id, prefix, DELETED_PER_CALL + 1)
        now = ports.clock.now()
        if found:
            owe_scrub(tx, now)
        for path, _ in found[:DELETED_PER_CALL]:
            _remove(tx, space, path, rev, now)
        settle_owner_name(tx, space)
        return min(len(found), DELETED_PER_CALL), len(found) > DELETED_PER_CALL

    deleted = await ports.store.write(work)
    if deleted[0]:
        await scrub(ports)
    return deleted


async def move_files(ports: Ports, caller: Caller, origin: FilePath, destination: FilePath) -> int:
    """Move a file, or else every file beneath `origin`; how many moved. Nothing is learned again.

    Raises Conflict when a file is already where one would go, BadInput (`bad_path`) when a path would be too long,
    NotFound when nothing is at `origin`; nothing moves then.
    """

    def work(tx: Transaction) -> int:
        space, _ = writable(tx, caller)
        if tx.files.find(space.id, origin) is not None:
            paths = [origin]
        else:
            paths = [path for path, _ in tx.files.under(space.id, origin + "/")]
        if not paths:
            raise NotFound(f"There is no file at {origin} and none beneath it.")
        moves = [(path, moved(path, origin, destination)) for path in paths]
        # A directory may move into itself: what stands in the way is only what does not move away.
        leaving = set(paths) if origin != destination else set()
        taken = [path for path in tx.files.taken(space.id, [to for _, to in moves]) if path not in leaving]
        if taken:
            raise Conflict(f"There is a file at {min(taken)} already, so nothing was moved.")
        sources = {path: tx.sources.by_external_id(space.id, external_id_of_path(path)) for path in paths}
        tx.files.rename(space.id, moves)
        # Sources' external ids are unique, so those in each other's way step aside first.
        for source in sources.values():
            if source is not None:
                tx.sources.update(space.id, replace(source, external_id=None))
        for path, to in moves:
            source = sources[path]
            if source is not None:
                tx.sources.update(space.id, replace(source, external_id=external_id_of_path(to), title=to))
        return len(moves)

    return await ports.store.write(work)


def _remove(tx: Transaction, space: Space, path: FilePath, rev: int, now: datetime) -> None:
    source = tx.sources.by_external_id(space.id, external_id_of_path(path))
    if source is not None:
        remove_source(tx, space, source, rev, now)
    tx.files.remove(space.id, path)


def no_file(path: str) -> NotFound:
    """What a caller is told who names a path with no file."""
    return NotFound(f"There is no file at {path}.")
