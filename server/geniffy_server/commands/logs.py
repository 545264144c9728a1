"""What a running server logs: on standard error, masked, with the request's id."""

from __future__ import annotations

from typing import Any


def log_config() -> dict[str, Any]:
    """For `logging.config.dictConfig`: our own lines from INFO on, warnings of the libraries, no secret in any."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "masked": {
                "()": "geniffy_server.request_log.MaskedFormatter",
                "format": "%(asctime)s %(levelname)s %(request_id)s %(name)s: %(message)s",
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "masked", "stream": "ext://sys.stderr"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {"geniffy_server": {"level": "INFO"}},
    }
