"""A client of `paco serve`, with the standard library alone. Whatever happens on the way, a sample is decided once.

Every sample travels with a key, its own or a random one. A request that got no answer is sent again with the same keys,
and the server answers samples that it has decided already with the decisions they had.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field, fields
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from ._arrays import as_numbers
from ._paco import Model
from .errors import InputError, PacoError, ServerError, exception_of
from .operations import Operations, Outcome, plain

_ROWS = 4096  # samples in one request, at most
_BYTES = 16 << 20  # of them, at most
_BROKEN = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)
_BUSY = (408, 429, 502, 503, 504)  # the server did nothing; again later


@dataclass(frozen=True)
class RemoteDecision:
    """A decision of a server. `repeated`: it had been made before, for the same key."""

    sequence: int
    category: int
    name: str
    verdict: str
    key: str | None = None
    repeated: bool = False
    now: int | None = None
    prototype: int | None = None
    score: float | None = None
    threshold: float | None = None
    runner_up: int | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> RemoteDecision:
        names = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


@dataclass(frozen=True)
class Event:
    """Something that happened in a stream. `id` is None of what is no event of the journal."""

    id: int | None
    kind: str
    data: Mapping[str, Any]


class Client:
    """The streams of a server: `Client("http://localhost:8080").stream("birds").decide(x)`.

    `token` goes along with every request. A server that is busy or out of reach is asked again, `retries` times, with
    growing pauses; then there is a ServerError. `context` is an ssl.SSLContext for certificates of one's own.
    """

    def __init__(self, url: str, token: str = "", *, retries: int = 8, timeout: float = 60.0,
                 context: ssl.SSLContext | None = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(f"{url!r} is no address of a server", "e.g. http://localhost:8080", "bad_argument")
        self.url = url.rstrip("/")
        self.retries = retries
        self.timeout = timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._context = context

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    def info(self) -> dict[str, Any]:
        """Version, methods and limits of the server."""
        return self._json("GET", "/v1")

    def streams(self) -> list[dict[str, Any]]:
        """All streams, by name, as the server describes them."""
        found: list[dict[str, Any]] = self._json("GET", "/v1/streams")["streams"]
        return found

    def stream(self, name: str) -> RemoteStream:
        """A stream that is there; whether it is shows at the first call."""
        return RemoteStream(self, name)

    def create(self, name: str, model: Model, *, method: str = "", embeddings: int | str = "all",
               durability: str = "full") -> RemoteStream:
        """A new stream from a model. Where it is there with this very model, that one."""
        query = {"embeddings": str(embeddings), "durability": durability, **({"method": method} if method else {})}
        stream = RemoteStream(self, name)
        data = model._bytes()
        self._json("PUT", stream._path, query, data, "application/octet-stream")
        return stream

    # Requests

    def _json(self, verb: str, path: str, query: Mapping[str, str] | None = None, body: bytes | None = None,
              kind: str = "application/json", again: bool = True) -> dict[str, Any]:
        out: dict[str, Any] = json.loads(self._ask(verb, path, query, body, kind, again))
        return out

    def _ask(self, verb: str, path: str, query: Mapping[str, str] | None = None, body: bytes | None = None,
             kind: str = "application/json", again: bool = True, headers: Mapping[str, str] | None = None,
             whole: bool = True) -> Any:
        """The whole answer, or one to read on. `again`: may be sent again although an earlier one may have arrived."""
        address = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        request = urllib.request.Request(address, body, {**self._headers, **(headers or {})}, method=verb)
        if body is not None:
            request.add_header("Content-Type", kind)
        for attempt in range(self.retries + 1):
            try:
                answer = urllib.request.urlopen(request, timeout=self.timeout, context=self._context)
                if not whole:
                    return answer
                with answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                failure, pause = _failure_of(error), error.headers.get("Retry-After", "")
                if error.code not in _BUSY:
                    raise failure from None
            except _BROKEN as error:
                reason = getattr(error, "reason", error)
                failure, pause = ServerError(f"{self.url}: {reason}", "is the server running?", "unavailable"), ""
                if not again and not isinstance(reason, ConnectionRefusedError):
                    failure.hint = "it may have arrived: look at the history before sending it again"
                    raise failure from error
            if attempt == self.retries:
                raise failure
            time.sleep(float(pause) if pause.isdigit() else min(5.0, 0.05 * 2**attempt) * random.uniform(0.5, 1.0))
        raise AssertionError


def _failure_of(error: urllib.error.HTTPError) -> Exception:
    """The exception for a refusal, in the server's words."""
    try:
        told = json.loads(error.read())["error"]
        failure = exception_of(told["code"], told["message"], told.get("hint", ""))
    except (ValueError, KeyError, TypeError):
        failure = ServerError(f"{error.url}: {error.code} {error.reason}", "is this the address of a paco server?", "unavailable")
    if error.code >= 500 and not isinstance(failure, ServerError):
        return ServerError(failure.message, failure.hint, failure.code)
    return failure


class RemoteStream(Operations):
    """One stream of a server: samples in, decisions out; operations in, outcomes out."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.name = name
        self._path = f"/v1/streams/{urllib.parse.quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"<RemoteStream {self.name!r} of {self.client.url}>"

    def info(self) -> dict[str, Any]:
        """State, counts and figures."""
        return self.client._json("GET", self._path)

    def decide(self, x: Any, key: str | None = None, id: str | None = None,
               attributes: Mapping[str, Any] | None = None) -> RemoteDecision:
        """Decides on one sample, at once and for good, once however often it has to be sent."""
        row = as_numbers(x)
        sample = {"embedding": row.ravel().tolist(), "key": key or uuid.uuid4().hex, **({"id": id} if id else {}),
                  **({"attributes": dict(attributes)} if attributes else {})}
        return self._send([sample])[0]

    def decide_many(self, X: Any, keys: Sequence[str] | None = None, ids: Sequence[str] | None = None) -> list[RemoteDecision]:
        """Decides on every row in order, in requests of some thousand."""
        rows = np.asarray(as_numbers(X), order="C")
        if rows.ndim != 2:
            raise InputError(f"Expected a 2D array, one sample a row, got the shape {rows.shape}", "Reshape your data", "bad_shape")
        for what, names in (("keys", keys), ("ids", ids)):
            if names is not None and len(names) != len(rows):
                raise InputError(f"{len(names)} {what} for {len(rows)} samples", "give one for every sample, or none", "bad_shape")
        step = max(1, min(_ROWS, _BYTES // max(1, rows.shape[1] * (rows.itemsize if keys is None and ids is None else 24))))
        out: list[RemoteDecision] = []
        for start in range(0, len(rows), step):
            part = rows[start:start + step]
            if keys is None and ids is None:
                out += self._send_array(part)
                continue
            own = [uuid.uuid4().hex for _ in part] if keys is None else keys[start:start + step]
            samples = [{"embedding": row.tolist(), "key": key} for row, key in zip(part, own)]
            if ids is not None:
                samples = [{**sample, "id": id} for sample, id in zip(samples, ids[start:start + step])]
            out += self._send(samples)
        return out

    def _send(self, samples: Sequence[Mapping[str, Any]]) -> list[RemoteDecision]:
        body = json.dumps({"samples": samples}, default=plain).encode()
        return [RemoteDecision._of(one) for one in self.client._json("POST", f"{self._path}/samples", None, body)["decisions"]]

    def _send_array(self, rows: np.ndarray[Any, Any]) -> list[RemoteDecision]:
        file = io.BytesIO()
        np.save(file, rows, allow_pickle=False)
        answer = self.client._json("POST", f"{self._path}/samples", {"key_prefix": uuid.uuid4().hex + "-"}, file.getvalue(),
                                   "application/x-npy")
        return [RemoteDecision._of(one) for one in answer["decisions"]]

    def sample(self, sequence: int) -> dict[str, Any]:
        """A sample as it stands today, with evidence, explanation and neighbours."""
        return self.client._json("GET", f"{self._path}/samples/{int(sequence)}")

    def categories(self, **filters: Any) -> list[dict[str, Any]]:
        """All categories; filters as in the server's contract: kind, sort, order, search, retired, merged."""
        out: list[dict[str, Any]] = []
        while True:
            query = {**{name: str(value) for name, value in filters.items()}, "offset": str(len(out)), "limit": "1000"}
            page = self.client._json("GET", f"{self._path}/categories", query)
            out += page["categories"]
            if len(out) >= page["total"] or not page["categories"]:
                return out

    def apply(self, operation: Mapping[str, Any], *, actor: str = "") -> Outcome:
        """Carries out an operation. It is not sent twice: an answer that is lost is an exception that says so."""
        body = json.dumps({**operation, **({"actor": actor} if actor else {})}, default=plain).encode()
        return Outcome._of(self.client._json("POST", f"{self._path}/operations", None, body, again=False))

    def history(self) -> list[Outcome]:
        """All operations so far, oldest first."""
        out: list[Outcome] = []
        query = {"limit": "1000"}
        while True:
            page = self.client._json("GET", f"{self._path}/operations", query)
            out += [Outcome._of(one) for one in page["operations"]]
            if page["next"] is None:
                return out[::-1]
            query["before"] = str(page["next"])

    def events(self, start: int | None = None, kinds: str = "sample,operation") -> Iterator[Event]:
        """What happens, as it happens, from the present end or from event `start` on. Goes on after a break, with no gap
        and nothing twice; never ends by itself."""
        after: int | None = None
        while True:
            query = {"kinds": kinds, **({"from": str(start)} if start is not None and after is None else {})}
            headers = {"Accept": "text/event-stream", **({"Last-Event-ID": str(after)} if after is not None else {})}
            try:
                with self.client._ask("GET", f"{self._path}/events", query, headers=headers, whole=False) as answer:
                    for event in _events_of(answer):
                        after = event.id if event.id is not None else after
                        yield event
            except PacoError:
                raise
            except _BROKEN:
                if after is None and start is None:
                    raise  # where the end was is not known

    def download(self, path: str | os.PathLike[str]) -> None:
        """The whole journal as it is at this moment, as a file that Session.open and SQLite read."""
        temporary = f"{os.fspath(path)}.part"
        with self.client._ask("GET", f"{self._path}/journal", whole=False) as answer, open(temporary, "wb") as file:
            while chunk := answer.read(1 << 20):
                file.write(chunk)
        os.replace(temporary, path)


def _events_of(lines: Any) -> Iterator[Event]:
    """Server-sent events out of the lines of an answer."""
    id: int | None = None
    kind, data = "message", ""
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if not line:
            if data:
                yield Event(id, kind, json.loads(data))
            id, kind, data = None, "message", ""
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id" and value.isdigit():
            id = int(value)
        elif name == "event":
            kind = value
        elif name == "data":
            data += value
