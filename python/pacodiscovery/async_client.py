"""The client for programs that run an event loop: the same calls, awaited. Each request runs on a thread of the loop's
pool and does not hold up the loop."""

from __future__ import annotations

import asyncio
import functools
from typing import Any, AsyncIterator, Callable

from .client import Client, Event, RemoteStream

_CALLS = ("info", "decide", "decide_many", "sample", "picture", "categories", "members", "exemplars", "nearest", "neighbours", "centroid", "centroids",
          "map", "suggestions", "series", "apply", "history", "download", "rename", "merge", "separate", "move", "promote",
          "demote", "retire", "revive", "verify", "undo")


def _awaited(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def on_a_thread(*arguments: Any, **named: Any) -> Any:
        return await asyncio.to_thread(call, *arguments, **named)

    return on_a_thread


class AsyncStream:
    """One stream of a server: the calls of RemoteStream, each to be awaited, and `async for` over its events."""

    def __init__(self, stream: RemoteStream) -> None:
        self._stream = stream
        self.name = stream.name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _CALLS:
            raise AttributeError(f"AsyncStream has no {name!r}")
        return _awaited(getattr(self._stream, name))

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *_CALLS])

    def __repr__(self) -> str:
        return f"<AsyncStream {self.name!r} of {self._stream.client.url}>"

    async def events(self, start: int | None = None, kinds: str = "sample,operation") -> AsyncIterator[Event]:
        """What happens, as it happens. See RemoteStream.events."""
        source = self._stream.events(start, kinds)
        while True:
            yield await asyncio.to_thread(source.__next__)


class AsyncClient:
    """The streams of a server, with calls to be awaited: `await AsyncClient(url).stream("birds").decide(x)`. Takes what
    Client takes."""

    def __init__(self, url: str, token: str = "", **options: Any) -> None:
        self._client = Client(url, token, **options)
        self.url = self._client.url

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client.close()

    def __repr__(self) -> str:
        return f"<AsyncClient of {self.url}>"

    async def info(self) -> dict[str, Any]:
        """Version, methods and limits of the server."""
        return await asyncio.to_thread(self._client.info)

    async def streams(self) -> list[dict[str, Any]]:
        """All streams, by name, as the server describes them."""
        return await asyncio.to_thread(self._client.streams)

    def stream(self, name: str) -> AsyncStream:
        """A stream that is there; whether it is shows at the first call."""
        return AsyncStream(self._client.stream(name))

    async def create(self, name: str, model: Any, **options: Any) -> AsyncStream:
        """A new stream from a model. See Client.create."""
        return AsyncStream(await asyncio.to_thread(functools.partial(self._client.create, name, model, **options)))
