"""PKCE by S256."""

from __future__ import annotations

import pytest

from geniffy_server.domain.pkce import is_challenge, proves

# The example of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_verifier_that_a_challenge_was_made_from_proves_it() -> None:
    assert is_challenge(CHALLENGE)
    assert proves(VERIFIER, CHALLENGE)


@pytest.mark.parametrize(
    "verifier", ["", CHALLENGE, VERIFIER[:-1], VERIFIER + "a", VERIFIER.lower(), VERIFIER + "\n", "é" * 43, "a" * 42]
)
def test_nothing_else_does(verifier: str) -> None:
    assert not proves(verifier, CHALLENGE)


@pytest.mark.parametrize("verifier", ["a" * 42, "a" * 129, "a" * 42 + "é", "a" * 42 + " "])
def test_a_verifier_of_the_wrong_length_or_letters_proves_nothing_even_its_own_challenge(verifier: str) -> None:
    import base64
    import hashlib

    own = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    assert not proves(verifier, own)


@pytest.mark.parametrize("raw", ["", CHALLENGE + "=", CHALLENGE[:-1], CHALLENGE + "a", CHALLENGE[:-1] + "+", "é" * 43])
def test_what_no_verifier_makes_is_no_challenge(raw: str) -> None:
    assert not is_challenge(raw)
