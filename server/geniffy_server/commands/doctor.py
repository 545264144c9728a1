"""`doctor`: looks at the settings, the store, the models, the port and the packages, and says what to do."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer

from geniffy_server.commands.findings import Finding, State
from geniffy_server.commands.options import DataOption, JsonFlag
from geniffy_server.commands.output import say, say_json
from geniffy_server.errors import ServerError
from geniffy_server.settings import NO_POSTGRES, Settings, read_settings

_MARKS: Final[dict[State, str]] = {"ok": "ok     ", "warning": "warning", "wrong": "WRONG  "}
_ANSWER_WITHIN_S: Final = 3.0
_CHECK_SCHEMA: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["ok"],
    "properties": {"ok": {"type": "boolean"}},
}
# Its wheel writes modules of its own into geniffy_agents/, over those of this package.
_INTRUDER: Final = "openai-agents-geniffy"


def doctor(data: DataOption = None, as_json: JsonFlag = False) -> None:
    """Check the settings, the store, the models and the port, and say what to do. It changes nothing.

    Exits with 1 when something is wrong.

    Example: geniffy-server doctor --data ./data
    """
    found = list(findings(data))
    is_well = all(one.state != "wrong" for one in found)
    if as_json:
        say_json({"ok": is_well, "findings": [asdict(one) for one in found]})
    else:
        for one in found:
            say(f"{_MARKS[one.state]}  {one.sentence}{f' {one.todo}' if one.todo else ''}")
    if not is_well:
        raise typer.Exit(1)


def findings(data: Path | None) -> Iterator[Finding]:
    """Everything that was looked at, in the order in which it matters."""
    try:
        settings = read_settings(data=data)
    except ServerError as unusable:
        yield Finding("settings", "wrong", unusable.sentence, "Change it, and run this again.")
        return
    yield _settings(settings)
    if settings.refresh_grace_s:
        yield _grace(settings)
    from geniffy_server.commands.store_checks import store_findings

    yield from store_findings(settings.data)
    yield _model(settings)
    if settings.llm_base_url:
        yield _language_model(settings)
    yield _port(settings)
    yield _packages()


def _settings(settings: Settings) -> Finding:
    if settings.database_url:
        return Finding("settings", "wrong", NO_POSTGRES, "Unset GENIFFY_DATABASE_URL.")
    is_open = settings.host not in ("127.0.0.1", "::1", "localhost")
    if is_open and settings.public_url is None:
        return Finding(
            "settings",
            "warning",
            f"The server listens on {settings.host}, which other machines may reach, without TLS.",
            "Put a proxy with TLS before it and name its address in GENIFFY_PUBLIC_URL.",
        )
    return Finding("settings", "ok", f"The settings can be used; people reach the server at {settings.base_url}.")


def _grace(settings: Settings) -> Finding:
    return Finding(
        "refresh_grace",
        "warning",
        f"A used refresh token works for {settings.refresh_grace_s} s more, so a stolen copy may go unnoticed.",
        "Unset GENIFFY_REFRESH_GRACE_S; then a second use always ends the connection.",
    )


def _model(settings: Settings) -> Finding:
    from geniffy_server.app import embedder_from
    from geniffy_server.commands.store_checks import embedder_of
    from geniffy_server.models.minilm import DIMENSIONS

    try:
        embedder = embedder_from(settings)
        length = float((embedder.embed(["The renewal is in June."])[0] ** 2).sum())
    except ServerError as fault:
        return Finding("embedder", "wrong", fault.sentence, "Until it works, searches go by words alone.")
    if abs(length - 1.0) > 1e-3:
        return Finding("embedder", "wrong", f"The embedder {embedder.id} gives broken vectors.", "Reinstall it.")
    wrote = embedder_of(settings.data)
    if wrote not in (None, embedder.id):
        return Finding(
            "embedder",
            "warning",
            f"The embedder is {embedder.id}, and {wrote} wrote the vectors here.",
            "The next `geniffy-server serve` makes them anew; searches find less until it has.",
        )
    return Finding("embedder", "ok", f"The embedder {embedder.id} works, in {DIMENSIONS} dimensions.")


def _language_model(settings: Settings) -> Finding:
    from geniffy_server.app import language_model_of
    from geniffy_server.ports import Away, Completion, Task

    async def asked() -> Completion | Away:
        model = language_model_of(settings)
        assert model is not None
        try:
            return await model.complete(Task("check", 'Answer with {"ok": true}.', {}, _CHECK_SCHEMA, 20))
        finally:
            await model.close()

    try:
        got = asyncio.run(asked())
    except ServerError as fault:
        return Finding("language_model", "wrong", fault.sentence, "Or unset GENIFFY_LLM_BASE_URL.")
    if isinstance(got, Away):
        return Finding(
            "language_model",
            "warning",
            f"The language model {settings.llm_model} gave nothing: {got.reason}.",
            "Facts and answers come the built-in way until it does; check GENIFFY_LLM_BASE_URL and the key.",
        )
    return Finding("language_model", "ok", f"The language model {settings.llm_model} answers.")


def _port(settings: Settings) -> Finding:
    from geniffy_server.commands.listening import listen

    try:
        taken = listen(settings.host, settings.port)
    except ServerError as fault:
        if _is_ours(settings):
            return Finding("port", "ok", f"A server of ours answers on port {settings.port}.")
        return Finding("port", "wrong", fault.sentence)
    for one in taken:
        one.close()
    return Finding("port", "ok", f"Port {settings.port} on {settings.host} is free.")


def _is_ours(settings: Settings) -> bool:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    try:
        with urllib.request.urlopen(f"http://{host}:{settings.port}/healthz", timeout=_ANSWER_WITHIN_S) as answer:
            return answer.headers.get("X-Request-ID") is not None and json.load(answer).get("status") == "ok"
    except (urllib.error.URLError, OSError, ValueError, AttributeError):
        return False


def _packages() -> Finding:
    try:
        version = importlib.metadata.version(_INTRUDER)
    except importlib.metadata.PackageNotFoundError:
        return Finding("packages", "ok", "No package that gets in the way is installed.")
    return Finding(
        "packages",
        "warning",
        f"{_INTRUDER} {version} is installed here, and writes its own files into geniffy_agents.",
        f"Run: pip uninstall {_INTRUDER}, and install it in an environment of its own.",
    )
