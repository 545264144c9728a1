"""The domain's values as the API shows them: `shapes` with their JSON names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from geniffy_server.domain.account import Account, ApiKey
from geniffy_server.domain.answer import Answered, Context, Profile, Trait, Unsupported
from geniffy_server.domain.file import File, FileEntry, FilePath
from geniffy_server.domain.instants import wire as instant
from geniffy_server.domain.memory import KINDS, Memory, MemoryId, SourceRef
from geniffy_server.domain.source import Source, SourceId
from geniffy_server.domain.space import SpaceSummary
from geniffy_server.ports import Found
from geniffy_server.rest.shapes import (
    AskReply,
    ContextReply,
    CorrectedReply,
    DeletedSources,
    FileEntryShape,
    FileList,
    FileReply,
    ForgottenReply,
    KeyList,
    KeyShape,
    MemoryList,
    MemoryReply,
    MemoryShape,
    MeReply,
    NewKeyReply,
    ProfileReply,
    PutReply,
    SearchReply,
    SourceList,
    SourceRefShape,
    SourceShape,
    SpaceList,
    SpaceShape,
    TraitShape,
    UsageReply,
)
from geniffy_server.services.accounts import MonthUsage
from geniffy_server.services.files import FilePage, Put
from geniffy_server.services.keys import MadeKey
from geniffy_server.services.memories import MemoryPage, Remembered
from geniffy_server.services.sources import SourcePage

# A server of one's own has no plan: what a plan would include is more than a month can use (contract Q39).
UNLIMITED: Final = 10**12


def source_ref(ref: SourceRef) -> SourceRefShape:
    return {"id": ref.id, "kind": ref.kind, "title": ref.title, "labels": dict(ref.labels)}


def memory(it: Memory) -> MemoryShape:
    return {
        "id": it.id,
        "text": it.text,
        "kind": it.kind,
        "about": it.about,
        "status": it.status,
        "learned_at": instant(it.learned_at),
        "said_at": instant(it.said_at),
        "source": source_ref(it.source) if it.source is not None else None,
        "quote": it.quote,
    }


def source(it: Source) -> SourceShape:
    return {
        "id": it.id,
        "kind": it.kind,
        "title": it.title,
        "status": it.status,
        "error": it.error,
        "facts": it.facts,
        "url": it.url,
        "file_name": it.file_name,
        "file_type": it.file_type,
        "size_bytes": it.size_bytes,
        "added_by": it.added_by,
        "added_at": instant(it.added_at),
        "external_id": it.external_id,
        "labels": dict(it.labels),
        "withheld": it.withheld,
    }


def source_page(page: SourcePage) -> SourceList:
    return {"sources": [source(it) for it in page.sources], "total": page.total, "next": page.next}


def one_source(it: Source | None) -> SourceList:
    """The list that a look-up by external id answers: one source, or none."""
    return {"sources": [source(it)] if it is not None else [], "total": 1 if it is not None else 0, "next": None}


def deleted_source(source_id: SourceId, external_id: str) -> DeletedSources:
    return {"id": source_id, "external_id": external_id, "deleted": True}


def deleted_sources(deleted: int, more: bool, labels: Mapping[str, Sequence[str]]) -> DeletedSources:
    echo: dict[str, str | list[str]] = {
        name: values[0] if len(values) == 1 else list(values) for name, values in labels.items()
    }
    return {"sources_deleted": deleted, "more": more, "labels": echo}


def memory_page(page: MemoryPage) -> MemoryList:
    return {
        "memories": [memory(it) for it in page.memories],
        "counts": dict(page.counts),
        "total": page.total,
        "next": page.next,
    }


def remembered(it: Remembered) -> MemoryReply:
    return {"memory": memory(it.memory), "history": [memory(earlier) for earlier in it.history]}


def corrected(memory_id: MemoryId, right: Source) -> CorrectedReply:
    return {"id": memory_id, "corrected": True, "source": source(right)}


def forgotten(memory_id: MemoryId, files: Sequence[FilePath]) -> ForgottenReply:
    return {"id": memory_id, "deleted": True, "files": list(files)}


def search(found: Sequence[Found]) -> SearchReply:
    """Memories best first; `counts` are those of the memories shown (contract Q20)."""
    counts = {"all": len(found)}
    for kind in KINDS:
        counts[kind] = sum(it.memory.kind == kind for it in found)
    return {
        "memories": [{**memory(it.memory), "score": round(it.score, 4)} for it in found],
        "counts": counts,
        "total": len(found),
        "next": None,
        "lessons": [],
        "episodes": [],
        "intentions": [],
    }


def context(it: Context) -> ContextReply:
    memories = [memory(used) for used in it.memories]
    return {
        "question": it.question,
        "context": it.text,
        "memories": memories,
        "used": len(memories),
        "empty": not memories,
    }


def answer(it: Answered | Unsupported) -> AskReply:
    if isinstance(it, Unsupported):
        return {"question": it.question, "answer": None, "message": it.message, "memories": [], "clash": False}
    return {
        "question": it.question,
        "answer": it.answer,
        "message": None,
        "memories": [memory(used) for used in it.memories],
        "clash": it.clash,
    }


def profile(it: Profile) -> ProfileReply:
    return {
        "subject": it.subject,
        "lasting": [_trait(trait) for trait in it.lasting],
        "current": [_trait(trait) for trait in it.current],
        "grouped": {},
        "memories": it.considered,
    }


def _trait(it: Trait) -> TraitShape:
    """`since`: when the first of its memories was said."""
    said = [one.said_at for one in it.memories]
    return {
        "text": it.text,
        "memory_ids": [one.id for one in it.memories],
        "since": instant(min(said)) if said else None,
    }


def file_entry(it: FileEntry) -> FileEntryShape:
    return {"path": it.path, "size": it.size, "updated_at": instant(it.updated_at)}


def file(it: File) -> FileReply:
    return {"path": it.path, "text": it.text, "size": it.size, "updated_at": instant(it.updated_at)}


def file_page(page: FilePage) -> FileList:
    return {"files": [file_entry(it) for it in page.files], "total": page.total, "next": page.next}


def put(it: Put) -> PutReply:
    of = it.source
    return {
        "path": it.file.path,
        "size": it.file.size,
        "updated_at": instant(it.file.updated_at),
        "created": it.created,
        "source": {"id": of.id, "kind": of.kind, "title": of.title, "labels": dict(of.labels)},
    }


def spaces(found: Sequence[SpaceSummary]) -> SpaceList:
    return {"spaces": [_space(it) for it in found], "total": len(found)}


def _space(it: SpaceSummary) -> SpaceShape:
    return {
        "space": it.name,
        "sources": it.sources,
        "memories": it.memories,
        "last_added_at": instant(it.last_added_at) if it.last_added_at is not None else None,
    }


def key(it: ApiKey) -> KeyShape:
    return {
        "id": it.id,
        "name": it.name,
        "space": it.space,
        "starts_with": it.starts_with,
        "rpm": it.rpm,
        "created_at": instant(it.created_at),
        "last_used_at": instant(it.last_used_at) if it.last_used_at is not None else None,
        "expires_at": instant(it.expires_at) if it.expires_at is not None else None,
    }


def made_key(made: MadeKey) -> NewKeyReply:
    note = "Keep this key now: it is shown once and only its hash is stored."
    return {**key(made.key), "key": made.secret, "note": note}


def keys(found: Sequence[ApiKey]) -> KeyList:
    return {"keys": [key(it) for it in found]}


def me(account: Account, space: str) -> MeReply:
    return {"name": account.name, "memory": "personal", "space": space or None}


def usage(month: MonthUsage) -> UsageReply:
    return {
        "plan": "self_hosted",
        "trial": False,
        "period_start": instant(month.start),
        "period_end": instant(month.end),
        "learned_tokens": month.usage.learned_tokens,
        "included_tokens": UNLIMITED,
        "waiting_tokens": 0,
        "answers": month.usage.answers,
        "included_answers": UNLIMITED,
        "extra_on": False,
        "extra_cap_usd": 0,
        "extra_used_usd": 0,
        "state": "ok",
    }
