"""`/v1/search`, `/v1/context`, `/v1/ask`, `/v1/profile`: reading a memory."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.domain.labels import filter_of
from geniffy_server.domain.memory import kind_filter
from geniffy_server.domain.text import is_blank, keepable
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.bodies import AskBody, ContextBody, SearchBody, clamped, question_of
from geniffy_server.rest.described import described
from geniffy_server.rest.direct import DirectRoute
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.reading import body_of
from geniffy_server.rest.reply import reply
from geniffy_server.services import answers

router = APIRouter(tags=["recall"], route_class=DirectRoute)


@router.post("/v1/search", **described(gives=shapes.SearchReply, takes=SearchBody))
async def search(request: Request, call: Checked) -> Response:
    """The memories nearest to some words, best first. Something is found whenever anything is stored."""
    body = await body_of(request, SearchBody)
    found = await answers.search(
        call.ports,
        call.caller,
        question_of(body.q, "q"),
        limit=clamped(body.limit, 10, 100),
        kind=kind_filter(body.kind),
        labels=filter_of(body.labels),
    )
    return reply(wire.search(found))


@router.post("/v1/context", **described(gives=shapes.ContextReply, takes=ContextBody))
async def context(request: Request, call: Checked) -> Response:
    """What bears on a question, as lines to put in a prompt; a fixed sentence when nothing does."""
    body = await body_of(request, ContextBody)
    found = await answers.context(
        call.ports,
        call.caller,
        question_of(body.question, "question"),
        limit=clamped(body.limit, 12, 50),
        kind=kind_filter(body.kind),
        labels=filter_of(body.labels),
        with_sources=body.with_sources is not False,
    )
    return reply(wire.context(found))


@router.post("/v1/ask", **described(gives=shapes.AskReply, takes=AskBody))
async def ask(request: Request, call: Checked) -> Response:
    """An answer from the memory alone, with the memories it rests on; null when nothing supports one."""
    body = await body_of(request, AskBody)
    found = await answers.ask(
        call.ports, call.caller, question_of(body.question, "question"), labels=filter_of(body.labels)
    )
    return reply(wire.answer(found))


@router.get("/v1/profile", **described(gives=shapes.ProfileReply))
async def profile(
    call: Checked,
    subject: Annotated[str | None, Query(description="A person's name; the memory's owner when left out.")] = None,
) -> Response:
    """What lastingly holds of a person, and what is going on for them now."""
    who = keepable(subject, "subject") if subject is not None and not is_blank(subject) else None
    return reply(wire.profile(await answers.profile(call.ports, call.caller, who)))
