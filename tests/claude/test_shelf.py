"""The memory that tests step into answers as the server does."""

from __future__ import annotations

from random import Random
from typing import Any

from geniffy_agents import Geniffy, GeniffyError
from tests.claude.shelf import Shelf

PATHS = ("/a", "/a/b", "/a/b/c", "/ab", "/a-b", "/d/é")
TEXTS = ("", "one", "two\n")


def done(files: Any, what: int, random: Random) -> Any:
    """One call, and what comes of it but for times and sources; the same ones for the same numbers."""
    path, other, text = random.choice(PATHS), random.choice(PATHS), random.choice(TEXTS)
    etag = random.choice(("*", "0" * 64))
    try:
        match what:
            case 0:
                made = files.put(path, text)
                return made.path, made.size, made.created, made.etag
            case 1:
                return files.put(path, text, if_none_match="*").created
            case 2:
                return files.put(path, text, if_match=etag if etag != "*" else files.get(other).etag).etag
            case 3:
                file = files.get(path)
                return file.text, file.size, file.etag
            case 4:
                page = files.list(path, limit=2, cursor=random.randrange(2))
                return [(each.path, each.size) for each in page.files], page.total, page.next
            case 5:
                return files.delete(path)
            case 6:
                return files.delete_prefix(f"{path}/")
            case _:
                return files.move(path, other)
    except GeniffyError as refused:
        return type(refused).__name__, refused.status, refused.code


def test_the_same_calls_come_to_the_same_as_on_the_server(in_process: Geniffy, space: str) -> None:
    shelf = Shelf()
    quick, whole, real = shelf.quick_client(), Shelf().client(), in_process.space(space)
    choose = Random(7)
    came = []
    for number in range(400):
        what = choose.choice((0, 0, 0, 1, 2, 3, 3, 4, 4, 5, 6, 7))

        came.append(done(real.files, what, Random(number)))

        assert done(quick.files, what, Random(number)) == came[-1], (number, what)
        assert done(whole.files, what, Random(number)) == came[-1], (number, what)
    refusals = {each[2] for each in came if isinstance(each, tuple) and len(each) == 3}
    assert {"not_found", "changed", "conflict"} <= refusals
