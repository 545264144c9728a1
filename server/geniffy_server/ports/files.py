"""Files, kept character for character."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from geniffy_server.domain.file import File, FileEntry, FilePath
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId


class Files(Protocol):
    def find(self, space_id: SpaceId, path: FilePath) -> File | None: ...
    def page(self, space_id: SpaceId, prefix: str, limit: int, offset: int) -> tuple[Sequence[FileEntry], int]:
        """Files whose path starts with `prefix`, in code-point order, and how many there are in all."""
        ...

    def put(self, space_id: SpaceId, file: File) -> None:
        """Insert or replace the file at its path."""
        ...

    def under(
        self, space_id: SpaceId, prefix: str, limit: int | None = None
    ) -> Sequence[tuple[FilePath, SourceId]]: ...
    def taken(self, space_id: SpaceId, paths: Collection[FilePath]) -> Collection[FilePath]:
        """Those of `paths` that hold a file."""
        ...

    def rename(self, space_id: SpaceId, moves: Sequence[tuple[FilePath, FilePath]]) -> None: ...
    def remove(self, space_id: SpaceId, path: FilePath) -> None: ...
    def path_of_source(self, space_id: SpaceId, source_id: SourceId) -> FilePath | None: ...
