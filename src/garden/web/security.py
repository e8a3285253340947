"""Who may ask: the checks of ``Host`` and ``Origin``, and the headers of every reply."""

from __future__ import annotations

import ipaddress
import json

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
        body = json.dumps({"error": refusal}).encode()
        headers = [(b"content-type", b"application/json")]
        await send_guarded({"type": "http.response.start", "status": 403, "headers": headers})
        await send_guarded({"type": "http.response.body", "body": body})

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
