"""Who may ask, and how much: the checks of ``Host`` and ``Origin``, the headers of every reply, and
the limit of what a request may bring.
"""

from __future__ import annotations

import ipaddress
import json
from collections import deque

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


MAX_BODY = 1 << 20  # bytes, of everything but files
FILES = "/api/uploads"  # its path has limits of its own
_TOO_LARGE = f"the request is larger than {MAX_BODY >> 20} MB"


class BodyLimit:
    """Refuses requests that bring more than :data:`MAX_BODY` bytes, before more than that is kept.

    Args:
        app: The application behind it.
        limit: Bytes.
    """

    def __init__(self, app: ASGIApp, limit: int = MAX_BODY) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, as far as the limit, then pass the request on."""
        if scope["type"] != "http" or scope["path"] == FILES:
            await self.app(scope, receive, send)
            return
        messages = await self._read(scope, receive)
        if messages is None:
            await _refuse(send, 413, _TOO_LARGE)
            return

        async def receive_again() -> Message:
            return messages.popleft() if messages else await receive()

        await self.app(scope, receive_again, send)

    async def _read(self, scope: Scope, receive: Receive) -> deque[Message] | None:
        """The messages that make up the body; None where it is too large."""
        said = [value for key, value in scope["headers"] if key == b"content-length"]
        if any(not value.isdigit() or int(value) > self.limit for value in said):
            return None
        messages: deque[Message] = deque()
        size, more = 0, True
        while more:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            more = message.get("more_body", False)  # not after a disconnection
            if size > self.limit:
                return None
        return messages


class Gatekeeper:
    """Refuses requests of other sites, and adds the content policy to each reply.

    A host that is a number or ``localhost`` cannot be another site's name that was pointed at this
    machine; of other names only the one from the command line is let in.

    Args:
        app: The application behind it.
        host: The host from the command line.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1") -> None:
        self.app = app
        self.host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, then pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(key.encode(), value.encode()) for key, value in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        given = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self.refusal(given)
        if refusal is None:
            await self.app(scope, receive, send_guarded)
            return
        await _refuse(send_guarded, 403, refusal)

    def refusal(self, headers: dict[str, str]) -> str | None:
        """Why a request with these headers is refused; None where it is not."""
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if not self._is_own(name):
            return "refused: this host name is not the server's own"
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "refused: the request comes from another site"
        if headers.get("sec-fetch-site") == "cross-site":
            return "refused: the request comes from another site"
        return None

    def _is_own(self, name: str) -> bool:
        if name in ("localhost", self.host):
            return bool(name)
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"error": why}).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
