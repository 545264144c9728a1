"""What opens when a client opens the browser: the person signs in, allows it, and is sent back to it."""

from __future__ import annotations

import os
import sys

import httpx

from tests.conformance.approving import Person


def main(address: str) -> None:
    """Go the whole way from what the client opened to the page that it shows in the end."""
    back = Person(os.environ["PERSON_EMAIL"], os.environ["PERSON_PASSWORD"]).allows(address)
    # It tries again for as long as the client does not listen there yet.
    with httpx.Client(transport=httpx.HTTPTransport(retries=8), follow_redirects=True, timeout=60) as browser:
        browser.get(back)


if __name__ == "__main__":
    main(sys.argv[1])
