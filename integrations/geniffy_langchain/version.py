"""What the server's request log calls this integration."""

from __future__ import annotations

from typing import Final

from geniffy_agents import __version__

INTEGRATION: Final = f"geniffy-langchain/{__version__}"
