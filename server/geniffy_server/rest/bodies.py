"""What callers send: the shape of each body, and its fields as the domain knows them.

The shapes say what JSON allows and describe themselves in the OpenAPI document. `null` is the same as left out, and
unknown fields are ignored (contract 1.6). Fields whose mistakes have a code of their own are `Any` in a shape, and
their rules are the domain's.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from geniffy_server.domain.file import FilePath, file_path
from geniffy_server.domain.instants import instant_of
from geniffy_server.domain.labels import labels_of
from geniffy_server.domain.source import MAX_MESSAGES, external_id_of, title_of
from geniffy_server.domain.text import bounded, is_blank, keepable
from geniffy_server.errors import BadInput
from geniffy_server.learn.messages import turns_of
from geniffy_server.services.notes import NewNote
from geniffy_server.services.talks import NewTalk
from geniffy_server.services.unread import Page

MAX_QUESTION_CHARS: Final = 50_000  # contract Q22
MAX_CORRECTION_CHARS: Final = 20_000  # contract Q31
MAX_ITEMS: Final = 100
MAX_URL_CHARS: Final = 8_000  # RFC 9110 4.1 recommends that senders and readers support at least as many


def _string(raw: Any) -> str:
    if not isinstance(raw, str):
        raise PydanticCustomError("string_type", "must be a string")
    return raw


# Pydantic's own string refuses half a surrogate pair before the domain can say what is wrong, and where.
Text = Annotated[str, PlainValidator(_string), WithJsonSchema({"type": "string"})]
MaybeText = Annotated[Text | None, Field(json_schema_extra={"default": None})]
Labels = Annotated[
    Any,
    WithJsonSchema(
        {"anyOf": [{"type": "object", "additionalProperties": {"type": "string"}}, {"type": "null"}]},
    ),
]
LabelFilter = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
                    },
                },
                {"type": "null"},
            ]
        }
    ),
]
Instant = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]})]
Messages = Annotated[
    list[Any] | None,
    WithJsonSchema(
        {"anyOf": [{"type": "array", "items": {"type": "object"}, "maxItems": MAX_MESSAGES}, {"type": "null"}]}
    ),
]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class AddBody(_Body):
    """Exactly one of `text`, `url` and `messages`."""

    text: MaybeText = Field(None, description="A note: up to 2,000,000 characters.")
    url: MaybeText = Field(None, description="A web page to read.")
    messages: Messages = Field(None, description="A conversation: up to 500 messages of any agent framework's shape.")
    title: MaybeText = Field(None, description="What the source is called; the beginning of its text when left out.")
    said_at: Instant = Field(None, description="When it was said, ISO 8601; now if left out. Not with url or session.")
    external_id: MaybeText = Field(None, description="Your own id: sent again, the source is updated.")
    labels: Labels = Field(None, description="Up to 20 names with a value each; left out, a source keeps its own.")
    session: MaybeText = Field(None, description="The session that these messages go on. Only with messages.")


class BatchItem(AddBody):
    """One thing to add. A string is the same as an object with that `text`."""

    space: MaybeText = Field(None, description="The space of this item instead of the call's.")


class BatchBody(_Body):
    items: Annotated[
        list[Any],
        WithJsonSchema(
            {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_ITEMS,
                "items": {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/BatchItem"}]},
            }
        ),
    ]


class CorrectBody(_Body):
    text: Text = Field(description="The right statement, kept whole as one memory.")


class SearchBody(_Body):
    q: Text = Field(description="What to look for, in words.")
    limit: int | None = Field(None, description="How many memories: 1 to 100, 10 when left out; clamped.")
    kind: MaybeText = Field(None, description="all, people, plan, pref or detail.")
    labels: LabelFilter = Field(None, description="Only what sources with these labels said.")


class ContextBody(_Body):
    question: Text
    limit: int | None = Field(None, description="How many memories at most: 1 to 50, 12 when left out; clamped.")
    kind: MaybeText = Field(None, description="all, people, plan, pref or detail.")
    with_sources: bool | None = Field(None, description="Whether each line cites its source; true when left out.")
    labels: LabelFilter = Field(None, description="Only what sources with these labels said.")


class AskBody(_Body):
    question: Text
    labels: LabelFilter = Field(None, description="Only what sources with these labels said.")


class PutFileBody(_Body):
    path: Text = Field(description="Starts with '/', up to 255 characters.")
    text: Text = Field(description="The whole text, up to 2,000,000 characters; kept exactly.")
    labels: Labels = Field(None, description="Replace the file's labels; left out, it keeps its own.")


class MoveFilesBody(_Body):
    origin: Text = Field(alias="from", description="A file, or a directory of files.")
    to: Text = Field(description="Where it goes.")


class KeyBody(_Body):
    name: MaybeText = Field(None, description="What the key is for.")
    rpm: int | None = Field(None, description="Requests a minute: 1 to 600, 600 when left out.")
    expires_at: Instant = Field(None, description="ISO 8601; a bare date is valid to its end, in UTC.")


def new_thing(body: AddBody) -> NewNote | NewTalk | Page:
    """What is to be added. Blocking, for messages can be many.

    Raises BadInput with the code of the field that is wrong (contract 2.1), TooLong for a text that is.
    """
    given = [name for name in ("text", "url", "messages") if getattr(body, name) is not None]
    if len(given) != 1:
        sent = " and ".join(given) or "none of them"
        raise BadInput(f"Send exactly one of text, url and messages; this was {sent}.")
    if body.session is not None:
        return _session(body, body.session)
    said_at = instant_of(body.said_at)
    external_id = external_id_of(body.external_id)
    labels, title = labels_of(body.labels), title_of(body.title)
    if body.text is not None:
        return NewNote(filled(body.text, "text"), title, said_at, external_id, labels)
    if body.messages is not None:
        return NewTalk(turns_of(_counted(body.messages)), title, said_at, external_id, labels)
    if said_at is not None:
        raise BadInput("A page says itself when it was written; leave said_at out with a url.")
    return Page(filled(body.url or "", "url", MAX_URL_CHARS), title, external_id, labels)


def _session(body: AddBody, session: str) -> NewTalk:
    if body.messages is None:
        raise BadInput("A session goes on with messages; leave session out to add a text or a url.")
    for name in ("external_id", "said_at"):
        if getattr(body, name) is not None:
            raise BadInput(f"A session's messages have no {name} of their own; leave it out.")
    if is_blank(keepable(session, "session")):
        raise BadInput("The session is blank; name it, or leave it out to add a conversation of its own.")
    turns = turns_of(_counted(body.messages))
    named = external_id_of(session)
    return NewTalk(turns, title_of(body.title), None, None, labels_of(body.labels), named)


def _counted(messages: list[Any]) -> list[Any]:
    if len(messages) > MAX_MESSAGES:
        raise BadInput(f"A call takes up to {MAX_MESSAGES} messages; this one has {len(messages):,}.")
    return messages


def filled(text: str, what: str, limit: int | None = None) -> str:
    """Text that can be kept and is not blank. Raises BadInput, TooLong."""
    kept = bounded(text, what) if limit is None else bounded(text, what, limit)
    if is_blank(kept):
        raise BadInput(f"The {what} is blank.")
    return kept


def question_of(raw: str, what: str) -> str:
    """A question as it is asked. Raises BadInput when blank, TooLong beyond 50,000 characters."""
    return filled(raw, what, MAX_QUESTION_CHARS)


def correction_of(body: CorrectBody) -> str:
    """The right statement. Raises BadInput when blank, TooLong beyond 20,000 characters."""
    return filled(body.text, "text", MAX_CORRECTION_CHARS)


def file_text(body: PutFileBody) -> tuple[FilePath, str]:
    """Where a file is to be kept, and its text. Raises BadInput (`bad_path`, `invalid_request`), TooLong."""
    return file_path(body.path), bounded(body.text, "text")


def clamped(limit: int | None, otherwise: int, most: int) -> int:
    """How many rows to show: what was asked within 1 to `most` (contract Q21)."""
    return otherwise if limit is None else min(max(limit, 1), most)
