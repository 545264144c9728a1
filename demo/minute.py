"""A minute with a memory: tell it something, ask, see the line an answer came from, correct it, forget it.

It starts a server of its own on a free port with an empty memory in a temporary directory, and leaves nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from geniffy_agents import Geniffy, Memory

SERVER: Final = (sys.executable, "-m", "geniffy_server")
CONVERSATION: Final = (
    {"role": "user", "content": "I'm Noor. Kim Park signs the Acme renewal."},
    {"role": "assistant", "content": "Got it. Anything else for Thursday?"},
    {"role": "user", "content": "Priya Nair works from Pune, and I prefer tea to coffee."},
)
STOPS_WITHIN_S: Final = 30


def main() -> int:
    """Print each step as it happens; 0 when nothing was left at the end."""
    with tempfile.TemporaryDirectory(prefix="geniffy-demo-") as folder, running(Path(folder)) as client:
        tell(client)
        renewal = ask(client)
        right = correct(client, renewal)
        return forget(client, right, Path(folder))


def tell(client: Geniffy) -> None:
    """Remember a conversation, and show what was learned with the lines it came from."""
    step("Remember a conversation")
    for message in CONVERSATION:
        show(f"{message['role']:<9} {message['content']}")
    source = client.memories.add(messages=CONVERSATION, title="Call with Noor")
    client.sources.wait(source.id)
    step("What it learned, each with the line it came from")
    for memory in client.memories.iter():
        detail = client.memories.get(memory.id).memory
        show(f'{memory.id}  {memory.text}  <-  "{detail.quote}"')


def ask(client: Geniffy) -> Memory:
    """Ask what it knows and what it doesn't; the memory that the answer rests on."""
    question = "Who signs the Acme renewal?"
    step(f"Ask: {question}")
    answer = client.ask(question)
    show(str(answer.answer))
    for memory in answer.memories:
        show(f"rests on {memory.id}, said {memory.said_at}: {memory.text}")
    unknown = "What is Priya's phone number?"
    step(f"Ask what nobody said: {unknown}")
    show(str(client.ask(unknown).message))
    return answer.memories[0]


def correct(client: Geniffy, wrong: Memory) -> Memory:
    """Correct a memory, ask again, and show the trail."""
    step(f"Correct memory {wrong.id}: someone else signs now")
    client.memories.correct(wrong.id, "Priya Nair signs the Acme renewal.")
    answer = client.ask("Who signs the Acme renewal?")
    show(str(answer.answer))
    right = answer.memories[0]
    for earlier in client.memories.get(right.id).history:
        show(f"before that: {earlier.text} ({earlier.status})")
    return right


def forget(client: Geniffy, memory: Memory, data: Path) -> int:
    """Forget the memory with its trail, ask again, and look for the words in every corner of the store."""
    step(f"Forget memory {memory.id}, with what it said before")
    client.memories.delete(memory.id)
    show(str(client.ask("Who signs the Acme renewal?").message))
    step('Look for "Acme" in every table, page and log: geniffy-server scan')
    scan = subprocess.run([*SERVER, "scan", "--data", str(data), "Acme"], capture_output=True, text=True, check=False)
    show((scan.stdout + scan.stderr).strip())
    return scan.returncode


@contextmanager
def running(data: Path) -> Iterator[Geniffy]:
    """A client of a server on `data`, which runs while the block does."""
    step("Start a server on an empty directory")
    server = subprocess.Popen([*SERVER, "serve", "--data", str(data), "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        printed = ""
        while "gnf_live_" not in printed:
            line = server.stdout.readline()
            if not line:
                sys.exit("The server did not start.")
            printed += line
        address = re.search(r"https?://\S+", printed)
        key = re.search(r"gnf_live_\S+", printed)
        assert address
        assert key
        show(f"{address.group()}, and a first API key")
        with Geniffy(key.group(), base_url=address.group()) as client:
            yield client
    finally:
        server.terminate()
        server.wait(STOPS_WITHIN_S)


def step(title: str) -> None:
    """Print what happens next."""
    print(f"\n== {title}")


def show(text: str) -> None:
    """Print what came of it."""
    print(f"   {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
