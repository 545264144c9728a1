"""`python -m geniffy_server` is the command `geniffy-server`."""

from __future__ import annotations

import sys

from geniffy_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
