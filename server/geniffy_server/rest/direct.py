"""Routes that take the request and who calls, and read the rest themselves: the framework has nothing to work out."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.rest.guard import checked

_TAKES = {"request", "call"}


class DirectRoute(APIRoute):
    """A route whose function is called at once when it takes a `Request` and a `Checked` call, and nothing else.

    Working out what a function depends on takes the framework longer than checking the key; what it answers, and how
    it is described, stays the same. Other functions go the framework's way.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        if not self._is_plain():
            return super().get_route_handler()
        endpoint: Callable[..., Coroutine[Any, Any, Response]] = self.endpoint

        async def handle(request: Request) -> Response:
            return await endpoint(request=request, call=await checked(request))

        return handle

    def _is_plain(self) -> bool:
        taken = self.dependant
        solved = [one.call for one in taken.dependencies]
        read = (taken.path_params, taken.query_params, taken.header_params, taken.cookie_params, taken.body_params)
        return solved == [checked] and taken.request_param_name == "request" and not any(read)
