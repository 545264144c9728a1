from __future__ import annotations

import pytest

from geniffy_server.domain.memory import joined_tokens, parted_tokens


@pytest.mark.parametrize("asked", [b"", b"\x07\x00\x00\x00\x08\x00\x00\x00"])
@pytest.mark.parametrize("own", [b"", b"\x01\x00\x00\x00\x00\x00\x00\x02", b"\x01\x02\x03\x04"])
def test_joined_search_keys_come_apart_again_also_where_zeros_lie_across_two_of_them(own: bytes, asked: bytes) -> None:
    assert parted_tokens(joined_tokens(own, asked)) == (own, asked)
