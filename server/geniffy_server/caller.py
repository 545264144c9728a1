"""Who is calling: which account, which space, with what rights, through which app."""

from __future__ import annotations

from dataclasses import dataclass

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.space import OWN, AccountId


@dataclass(frozen=True, slots=True)
class Caller:
    """A checked caller. `space` is the one this call works in; `is_limited` when its key reaches no other.

    `app` names the client in request logs and in `added_by`. `is_connected_app` when a person connected it by signing
    in, so that `app` is the name they were shown, and no space can be named.
    """

    account_id: AccountId
    space: str = OWN
    is_limited: bool = False
    can_write: bool = True
    key_id: KeyId | None = None
    app: str | None = None
    is_ai_app: bool = False
    is_connected_app: bool = False
