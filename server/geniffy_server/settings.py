"""The settings of a server: the only reader of the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from geniffy_server.errors import BadInput

DEFAULT_PORT: Final = 8787
_PREFIX: Final = "GENIFFY_"
NO_POSTGRES: Final = "PostgreSQL is not supported yet; leave --database-url out to keep the data in --data."
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}
_SECRET: Final = ("database_url", "metrics_token", "oidc_client_secret", "llm_api_key", "embedder_api_key")


class Settings(BaseSettings):
    """What an operator can choose, each as an argument or a variable `GENIFFY_<NAME>` (product.md, "Variables").

    `public_url`: the address people reach the server by, with its path prefix if any; without it the address it
    listens on. `trusted_proxies`: addresses whose `X-Forwarded-*` headers count. `embedder`: instead of the built-in
    model, a folder with `model.onnx` and `tokenizer.json`, or the address of an OpenAI-compatible endpoint where
    `embedder_model` gives embeddings; `embedder_api_key` only if it wants one. `oidc_issuer` and `oidc_client_id`: the
    operator's identity provider, for signing in on the pages; `oidc_client_secret` only where it gave one.
    `refresh_grace_s`: seconds in which an app's used refresh token still works, as a stolen copy does too; `doctor`
    warns if it is not 0. `llm_base_url` and `llm_model`: an OpenAI-compatible endpoint that drafts facts and answers;
    `llm_api_key` only if it wants one. It may use `llm_tokens_a_day` tokens in a day (0: any number), and has
    `llm_timeout_s` for each call.
    """

    model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="ignore", env_ignore_empty=True)

    data: Path = Path("data")
    database_url: str | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65535)
    workers: int = Field(default=1, ge=1, le=64)
    public_url: str | None = None
    trusted_proxies: str = ""
    allowed_origins: str = ""
    metrics_token: str | None = None
    oidc_issuer: str | None = None
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = None
    certainty: Literal["strict", "normal", "lenient"] = "normal"
    requests_days: int = Field(default=30, ge=1)
    refresh_grace_s: int = Field(default=0, ge=0, le=300)
    embedder: str | None = None
    embedder_model: str | None = None
    embedder_api_key: str | None = None
    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: str | None = None
    llm_tokens_a_day: int = Field(default=2_000_000, ge=0)
    llm_timeout_s: float = Field(default=30, ge=1, le=50)
    cache_bytes: int | None = Field(default=None, ge=1)
    stored_in: str | None = None

    @field_validator("public_url")
    @classmethod
    def _no_trailing_slash(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return url.rstrip("/") if url else None

    @field_validator("oidc_issuer")
    @classmethod
    def _is_issuer(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("must start with https://, exactly as the provider names itself")
        return url

    @field_validator("llm_base_url")
    @classmethod
    def _is_endpoint(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://, such as http://127.0.0.1:11434/v1")
        return url.rstrip("/") if url else None

    @model_validator(mode="after")
    def _has_whole_embedder(self) -> Self:
        if self.is_embedder_remote != (self.embedder_model is not None):
            raise ValueError("GENIFFY_EMBEDDER_MODEL goes with an address in GENIFFY_EMBEDDER: set both or neither")
        return self

    @model_validator(mode="after")
    def _has_whole_model(self) -> Self:
        if (self.llm_base_url is None) != (self.llm_model is None):
            raise ValueError("set both GENIFFY_LLM_BASE_URL and GENIFFY_LLM_MODEL, or neither")
        return self

    @model_validator(mode="after")
    def _has_whole_provider(self) -> Self:
        if (self.oidc_issuer is None) != (self.oidc_client_id is None):
            raise ValueError("set both GENIFFY_OIDC_ISSUER and GENIFFY_OIDC_CLIENT_ID, or neither")
        return self

    @property
    def is_embedder_remote(self) -> bool:
        """Whether the embedder is an endpoint and no folder."""
        return (self.embedder or "").startswith(("http://", "https://"))

    @property
    def base_url(self) -> str:
        """The origin that people and apps use, with its path prefix and no trailing slash.

        Listening on every address, it is this machine's own: what a browser elsewhere calls it only `public_url` says.
        """
        host = _EVERYWHERE.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def origins(self) -> tuple[str, ...]:
        """Browser origins that may call `/mcp` beside our own and loopback (decisions 16)."""
        return tuple(origin.strip().rstrip("/") for origin in self.allowed_origins.split(",") if origin.strip())

    @property
    def proxies(self) -> tuple[str, ...]:
        """Addresses or networks of proxies whose forwarded headers count."""
        return tuple(address.strip() for address in self.trusted_proxies.split(",") if address.strip())


def read_settings(**chosen: Any) -> Settings:
    """Settings from the options that were chosen, and from variables where an option is None.

    Raises BadInput, naming the first option or variable that can't be used.
    """
    options = {name: value for name, value in chosen.items() if value is not None}
    try:
        return Settings(**options)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_context=False)[0]
        why = first["msg"].removeprefix("Value error, ")
        if not first["loc"]:
            raise BadInput(f"The settings don't fit together: {why}.") from wrong
        name = str(first["loc"][0])
        called = f"--{name.replace('_', '-')}" if name in options else _PREFIX + name.upper()
        shown = "" if name in _SECRET else f" {first['input']!r:.80}"
        raise BadInput(f"{called} can't be{shown}: {why[:1].lower()}{why[1:]}.") from wrong


def hand_over(settings: Settings) -> None:
    """Put settings into this process's environment, so that the processes it starts read the same."""
    for name, value in settings.model_dump(mode="json", exclude_none=True).items():
        os.environ[_PREFIX + name.upper()] = str(value)
