"""Things that were sent to be read and can't be: they stay listed as failed sources, with why in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from geniffy_server.caller import Caller
from geniffy_server.domain.source import Source, SourceKind
from geniffy_server.errors import BadInput
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import writable
from geniffy_server.services.adding import fresh_source, held_under

NO_PAGES: Final = "This server does not read web pages yet; send the page's text as a note instead."
NO_UPLOADS: Final = "This server does not read uploaded files yet; send the file's text as a note instead."


@dataclass(frozen=True, slots=True)
class Page:
    """A web page to be read. None means left out."""

    url: str
    title: str | None = None
    external_id: str | None = None
    labels: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to be read. `kind` is its content type as it was sent."""

    name: str
    kind: str | None
    size_bytes: int
    title: str | None = None
    external_id: str | None = None
    labels: Mapping[str, str] | None = None


async def add_page(ports: Ports, caller: Caller, page: Page) -> Source:
    """Keep a failed source for a page; nothing is fetched. Raises BadInput unless it is an address of the web."""
    try:
        parts = urlsplit(page.url.strip())
        is_web = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web:
        raise BadInput(f"A url starts with http:// or https:// and names a host; {page.url!r:.90} does not.")
    url = mask(page.url.strip()).text
    failed = fresh_source(caller, "text", page.external_id, ports.clock.now())
    failed = replace(failed, title=url[:500], url=url)
    return await _keep(ports, caller, failed, "link", NO_PAGES, page)


async def add_upload(ports: Ports, caller: Caller, upload: Upload) -> Source:
    """Keep a failed source for an uploaded file; its bytes are not kept."""
    name = mask(upload.name).text
    failed = fresh_source(caller, "text", upload.external_id, ports.clock.now())
    failed = replace(
        failed, title=name, file_name=name, file_type=upload.kind, size_bytes=upload.size_bytes, title_given=False
    )
    return await _keep(ports, caller, failed, "file", NO_UPLOADS, upload)


async def _keep(
    ports: Ports, caller: Caller, failed: Source, kind: SourceKind, why: str, sent: Page | Upload
) -> Source:
    """A new failed source; under an id already there, that source keeps what it says and shows the error (Q52)."""
    failed = replace(failed, kind=kind, status="failed", error=why, labels=sent.labels or {})
    if sent.title is not None:
        failed = replace(failed, title=mask(sent.title).text, title_given=True)

    def work(tx: Transaction) -> Source:
        space, _ = writable(tx, caller)
        held = held_under(tx, space, sent.external_id)
        if held is not None:
            kept = replace(held, error=why)
            tx.sources.update(space.id, kept)
            return kept
        tx.spaces.added(space.id, failed.added_at)
        tx.sources.add(space.id, failed, "")
        return failed

    return await ports.store.write(work)
