"""The command `geniffy-agents`: add to a memory, search it and ask it, from a shell.

It calls the server at GENIFFY_BASE_URL (http://127.0.0.1:8787 when not set) with the key in GENIFFY_API_KEY.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from geniffy_agents._printing import plain, shown_answer, shown_files, shown_memories, shown_source
from geniffy_agents._version import __version__
from geniffy_agents.client import DEFAULT_BASE_URL, Geniffy
from geniffy_agents.errors import GeniffyError
from geniffy_agents.types import FilePage, Source

PROGRAM: Final = "geniffy-agents"
KINDS: Final = ("all", "people", "plan", "pref", "detail")
STDIN: Final = "-"


class Failed(Exception):
    """A command that ran but did not do what was asked; its text is the sentence that says so."""


def main(argv: Sequence[str] | None = None, *, connect: Callable[..., Geniffy] = Geniffy) -> int:
    """Run the command line `argv` and return its exit status: 0, or 1 with one sentence on standard error."""
    arguments = parser().parse_args(argv)
    settings = vars(arguments)
    try:
        with connect(
            base_url=settings.get("base_url"), space=settings.get("space"), integration=f"{PROGRAM}-cli/{__version__}"
        ) as client:
            arguments.run(client, arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except UnicodeDecodeError:
        return _fail("What was read is not text in UTF-8. Add a document with --file.")
    except (GeniffyError, Failed, ValueError, OSError) as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--space", metavar="NAME", help="the memory of one of your users; left out, your own")
    shared.add_argument("--base-url", metavar="URL", help=f"the server (GENIFFY_BASE_URL, else {DEFAULT_BASE_URL})")
    shared.add_argument("--json", action="store_true", help="print the server's JSON")
    root = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Add to a memory, search it and ask it. The key is read from GENIFFY_API_KEY.",
        epilog=f'example: {PROGRAM} add "Priya signs the renewal in March." --wait && {PROGRAM} ask "Who signs it?"',
        parents=[shared],
    )
    root.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = root.add_subparsers(metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[[Geniffy, argparse.Namespace], None], help: str, example: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=help, description=help, epilog=f"example: {example}", parents=[shared])
        added.set_defaults(run=run)
        return added

    add = command("add", _add, "add a note, a page, a document or a conversation", f'{PROGRAM} add "I moved to Pune."')
    what = add.add_mutually_exclusive_group(required=True)
    what.add_argument("text", nargs="?", help="a note; - reads it from standard input")
    what.add_argument("--url", help="a web page")
    what.add_argument("--file", metavar="FILE", help="a document: pdf, docx, pptx, xlsx, txt, md, csv, html")
    what.add_argument("--messages", metavar="FILE", help="a conversation: a JSON list of messages; - is standard input")
    add.add_argument("--title")
    add.add_argument("--external-id", metavar="ID", help="your own id; under it again, the source is updated")
    add.add_argument("--session", metavar="ID", help="append the messages to this conversation")
    add.add_argument("--said-at", metavar="WHEN", help="when it was said, as 2026-10-05 or with a time")
    add.add_argument("--wait", action="store_true", help="wait until it has been learned")
    _labels(add)

    search = command("search", _search, "find memories by meaning and by words", f'{PROGRAM} search "renewal"')
    search.add_argument("words")
    _filters(search, limit=10)

    ask = command("ask", _ask, "answer from the memory, or say that nothing does", f'{PROGRAM} ask "Who signs it?"')
    ask.add_argument("question")
    _labels(ask)

    context = command(
        "context", _context, "what bears on a question, ready for a prompt", f'{PROGRAM} context "the renewal"'
    )
    context.add_argument("question")
    context.add_argument("--no-sources", action="store_true", help="leave out where and when each was said")
    _filters(context, limit=12)

    correct = command("correct", _correct, "mark a memory wrong and say what is right", f'{PROGRAM} correct 12 "May."')
    correct.add_argument("id", type=int)
    correct.add_argument("text")
    forget = command("forget", _forget, "forget a memory for good", f"{PROGRAM} forget 12")
    forget.add_argument("id", type=int)

    files = commands.add_parser(
        "files",
        help="text kept exactly, under a path",
        description="Text kept exactly, under a path.",
        epilog=f"example: {PROGRAM} files put /memories/notes.md notes.md",
        parents=[shared],
    )
    _file_commands(files, shared)
    return root


def _file_commands(files: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    commands = files.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[Geniffy, argparse.Namespace], None], help: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=help, description=help, parents=[shared])
        added.set_defaults(run=run)
        return added

    listed = command("list", _files_list, "the files whose paths start with a prefix")
    listed.add_argument("prefix", nargs="?", default="/")
    got = command("get", _files_get, "print a file exactly as it was written")
    got.add_argument("path")
    put = command("put", _files_put, "write a file from another, or from standard input")
    put.add_argument("path")
    put.add_argument("origin", metavar="FILE", nargs="?", default=STDIN, help="what to write; - is standard input")
    put.add_argument("--if-match", metavar="ETAG", help="only over the text with this etag")
    put.add_argument("--new", action="store_true", help="only where there is no file")
    _labels(put)
    moved = command("move", _files_move, "move a file, or everything beneath a directory")
    moved.add_argument("from_path", metavar="from")
    moved.add_argument("to_path", metavar="to")
    deleted = command("delete", _files_delete, "delete a file, or with --prefix every file whose path starts so")
    what = deleted.add_mutually_exclusive_group(required=True)
    what.add_argument("path", nargs="?")
    what.add_argument("--prefix")


def _add(client: Geniffy, given: argparse.Namespace) -> None:
    named: dict[str, Any] = {"title": given.title, "external_id": given.external_id, "labels": _single(given.label)}
    if given.file is not None:
        if given.session or given.said_at:
            raise Failed("--session and --said-at don't go with --file.")
        source = client.memories.add_file(given.file, **named)
    elif given.messages is not None:
        source = client.memories.add(
            messages=_conversation(given.messages), session=given.session, said_at=given.said_at, **named
        )
    else:
        text = _read(STDIN) if given.text == STDIN else given.text
        source = client.memories.add(text, url=given.url, session=given.session, said_at=given.said_at, **named)
    if given.wait:
        source = client.sources.wait(source)
    _print(given, source.raw, shown_source(source))
    _refuse_failed(source)


def _search(client: Geniffy, given: argparse.Namespace) -> None:
    found = client.search(given.words, limit=given.limit, kind=given.kind, labels=_grouped(given.label))
    _print(given, [memory.raw for memory in found], shown_memories(found))


def _ask(client: Geniffy, given: argparse.Namespace) -> None:
    answer = client.ask(given.question, labels=_grouped(given.label))
    _print(given, answer.raw, shown_answer(answer))


def _context(client: Geniffy, given: argparse.Namespace) -> None:
    context = client.context_full(
        given.question,
        limit=given.limit,
        kind=given.kind,
        with_sources=not given.no_sources,
        labels=_grouped(given.label),
    )
    _print(given, context, plain(context["context"]))


def _correct(client: Geniffy, given: argparse.Namespace) -> None:
    correction = client.memories.correct(given.id, given.text)
    _print(given, correction, f"Memory {given.id} is marked wrong; what is right is being learned.")


def _forget(client: Geniffy, given: argparse.Namespace) -> None:
    client.memories.delete(given.id)
    _print(given, {"id": given.id, "deleted": True}, f"Memory {given.id} is forgotten.")


def _files_list(client: Geniffy, given: argparse.Namespace) -> None:
    files = list(client.files.iterate(given.prefix, page_size=200))
    _print(given, [file.raw for file in files], shown_files(FilePage(files, len(files))))


def _files_get(client: Geniffy, given: argparse.Namespace) -> None:
    file = client.files.get(given.path)
    if _wants_json(given):
        _print(given, {**file.raw, "etag": file.etag}, "")
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(file.text.encode())  # the text layer may change line ends


def _files_put(client: Geniffy, given: argparse.Namespace) -> None:
    file = client.files.put(
        given.path,
        _read(given.origin),
        labels=_single(given.label),
        if_match=given.if_match,
        if_none_match="*" if given.new else None,
    )
    done = "Created" if file.created else "Replaced"
    _print(given, {**file.raw, "etag": file.etag}, plain(f"{done} {file.path}, {file.size:,} characters."))


def _files_move(client: Geniffy, given: argparse.Namespace) -> None:
    moved = client.files.move(given.from_path, given.to_path)
    _print(given, {"moved": moved}, f"Moved {moved} {'file' if moved == 1 else 'files'}.")


def _files_delete(client: Geniffy, given: argparse.Namespace) -> None:
    deleted = 1
    if given.prefix is not None:
        deleted = client.files.delete_prefix(given.prefix)
    else:
        client.files.delete(given.path)
    _print(given, {"deleted": deleted}, f"Deleted {deleted} {'file' if deleted == 1 else 'files'}.")


def _labels(command: argparse.ArgumentParser) -> None:
    command.add_argument("--label", action="append", default=[], metavar="NAME=VALUE", help="may be given again")


def _filters(command: argparse.ArgumentParser, *, limit: int) -> None:
    command.add_argument("--limit", type=int, default=limit, help=f"how many at most ({limit})")
    command.add_argument("--kind", choices=KINDS, default=None)
    _labels(command)


def _grouped(pairs: Sequence[str]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise Failed(f"A label is written NAME=VALUE, not {pair!r}.")
        grouped.setdefault(name, []).append(value)
    return grouped


def _single(pairs: Sequence[str]) -> dict[str, str] | None:
    """Labels to write: the last value of each name, None when there are none, which keeps what a source has."""
    return {name: values[-1] for name, values in _grouped(pairs).items()} or None


def _read(name: str) -> str:
    raw = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    return raw.decode()


def _conversation(name: str) -> list[dict[str, Any]]:
    try:
        messages = json.loads(_read(name))
    except json.JSONDecodeError as error:
        raise Failed(f"The messages are not JSON: {error}.") from error
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise Failed("The messages are a JSON list of objects, each with a role and its content.")
    return messages


def _refuse_failed(source: Source) -> None:
    if source.status == "failed":
        raise Failed(source.error or "Nothing could be learned from it.")


def _wants_json(given: argparse.Namespace) -> bool:
    return bool(vars(given).get("json"))


def _print(given: argparse.Namespace, data: Any, text: str) -> None:
    sys.stdout.write((json.dumps(data, ensure_ascii=False, indent=2) if _wants_json(given) else text) + "\n")


def _fail(sentence: str) -> int:
    sys.stderr.write(f"{PROGRAM}: {plain(sentence)}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
