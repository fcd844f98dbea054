"""A client of `paco serve`, with the standard library alone. Whatever happens on the way, a sample is decided once.

Every sample travels with a key, its own or a random one. A request that got no answer is sent again with the same keys,
and the server answers samples that it has decided already with the decisions they had. Connections are kept and used
again.
"""

from __future__ import annotations

import base64
import io
import json
import os
import ssl
import urllib.parse
import uuid
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from ._arrays import as_numbers
from ._http import BROKEN, Connections
from ._paco import Model
from ._samples import extras
from .errors import InputError, PacoError
from .members import Category, Directions, MapPoint, Near, Sample, Suggestion, check_order, made
from .operations import Operations, Outcome, plain

_ROWS = 4096  # samples in one request, at most
_BYTES = 16 << 20  # of them, at most


@dataclass(frozen=True)
class RemoteDecision:
    """A decision of a server, with the fields of a Decision. `repeated`: it had been made before, for the same key.
    Of a brief answer sequence, category, name, verdict and key are known."""

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
        return made(cls, values)


@dataclass(frozen=True)
class Event:
    """Something that happened in a stream. `id` is None of what is no event of the journal."""

    id: int | None
    kind: str
    data: Mapping[str, Any]


class Client:
    """The streams of a server: `Client("http://localhost:8600").stream("birds").decide(x)`.

    `token` goes along with every request. A server that is busy or out of reach is asked again, `retries` times, with
    growing pauses; then there is a ServerError. `context` is an ssl.SSLContext for certificates of one's own. Any number
    of threads may use it; `with` or close() ends its idle connections.
    """

    def __init__(self, url: str, token: str = "", *, retries: int = 8, timeout: float = 60.0,
                 context: ssl.SSLContext | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._connections = Connections(url, headers, retries, timeout, context)
        self.url = self._connections.url

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections that are kept; the next request makes a new one."""
        self._connections.close()

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
        self._json("PUT", stream._path, query, model._bytes(), "application/octet-stream")
        return stream

    def _json(self, verb: str, path: str, query: Mapping[str, str] | None = None, body: bytes | None = None,
              kind: str = "application/json", again: bool = True) -> dict[str, Any]:
        out: dict[str, Any] = json.loads(self._connections.ask(verb, path, query, body, kind, again))
        return out


class RemoteStream(Directions, Operations):
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

    def decide(self, x: Any, key: str | None = None, id: str | None = None, text: str | None = None,
               attributes: Mapping[str, Any] | None = None, picture: bytes | None = None) -> RemoteDecision:
        """Decides on one sample, at once and for good, once however often it has to be sent. See Session.decide."""
        row = as_numbers(x)
        sample = {"embedding": row.ravel().tolist(), "key": key or uuid.uuid4().hex}
        return self._send([{**sample, **_extra(id, text, attributes, picture)}])[0]

    def decide_many(self, X: Any, keys: Sequence[str] | None = None, ids: Sequence[str] | None = None,
                    texts: Sequence[str] | None = None, attributes: Sequence[Mapping[str, Any]] | None = None,
                    pictures: Sequence[bytes] | None = None, *, brief: bool = False) -> list[RemoteDecision]:
        """Decides on every row in order, in requests of some thousand. `brief`: short answers, a quarter of the bytes."""
        rows = np.asarray(as_numbers(X), order="C")
        if rows.ndim != 2:
            raise InputError(f"Expected a 2D array, one sample a row, got the shape {rows.shape}", "Reshape your data", "bad_shape")
        given: dict[str, Sequence[Any] | None] = {"keys": keys, "ids": ids, "texts": texts, "attributes": attributes,
                                                  "pictures": pictures}
        for what, names in given.items():
            if names is not None and len(names) != len(rows):
                raise InputError(f"{len(names)} {what} for {len(rows)} samples", "give one for every sample, or none", "bad_shape")
        plain_rows = all(names is None for names in given.values())
        size = rows.shape[1] * (rows.itemsize if plain_rows else 24) + (350_000 if pictures is not None else 0)
        step = max(1, min(_ROWS, _BYTES // max(1, size)))
        out: list[RemoteDecision] = []
        for start in range(0, len(rows), step):
            part = rows[start:start + step]
            if plain_rows:
                out += self._send_array(part, brief)
                continue
            own = [uuid.uuid4().hex for _ in part] if keys is None else keys[start:start + step]
            some = {name: [None] * len(part) if names is None else names[start:start + step] for name, names in given.items()}
            out += self._send([{"embedding": row.tolist(), "key": key, **_extra(*rest)} for row, key, *rest in zip(
                part, own, some["ids"], some["texts"], some["attributes"], some["pictures"])], brief)
        return out

    def _send(self, samples: Sequence[Mapping[str, Any]], brief: bool = False) -> list[RemoteDecision]:
        body = json.dumps({"samples": samples}, default=plain).encode()
        answer = self.client._json("POST", f"{self._path}/samples", {"brief": "1"} if brief else None, body)
        return [RemoteDecision._of(one) for one in answer["decisions"]]

    def _send_array(self, rows: np.ndarray[Any, Any], brief: bool) -> list[RemoteDecision]:
        file = io.BytesIO()
        np.save(file, rows, allow_pickle=False)
        query = {"key_prefix": uuid.uuid4().hex + "-", **({"brief": "1"} if brief else {})}
        answer = self.client._json("POST", f"{self._path}/samples", query, file.getvalue(), "application/x-npy")
        return [RemoteDecision._of(one) for one in answer["decisions"]]

    # What there is: the same classes as of a Session

    def sample(self, sequence: int) -> Sample:
        """A sample as it stands today, with evidence and explanation."""
        return made(Sample, self._get(f"/samples/{int(sequence)}"))

    def picture(self, sequence: int) -> bytes | None:
        """The bytes of a sample's picture; None if it brought none."""
        if not self.sample(sequence).picture:
            return None
        out: bytes = self.client._connections.ask("GET", f"{self._path}/samples/{int(sequence)}/picture")
        return out

    def samples(self, **filters: Any) -> Iterator[Sample]:
        """Samples page by page; filters as in the server's contract: verdict, category, attribute, search, order, ..."""
        query = {name: str(value) for name, value in filters.items()}
        while True:
            page = self._get("/samples", query)
            for one in page["samples"]:
                yield made(Sample, one)
            if page["next"] is None:
                return
            query["from"] = str(page["next"])

    def categories(self, *, merged: bool = False, **filters: Any) -> list[Category]:
        """Known classes and categories that are in force; filters as in the server's contract: kind, sort, order, search,
        retired; with `merged` also those that were merged away."""
        out: list[Category] = []
        while True:
            query = {"merged": "yes" if merged else "no", **{name: str(value) for name, value in filters.items()},
                     "offset": str(len(out)), "limit": "1000"}
            page = self._get("/categories", query)
            out += [made(Category, one) for one in page["categories"]]
            if len(out) >= page["total"] or not page["categories"]:
                return out

    def members(self, category: int, *, order: str = "oldest", limit: int | None = None) -> list[Sample]:
        """Samples that belong to a category now. See Session.members; by the middle and the edge the newest 1,000 are put
        in order."""
        check_order(order)
        out: list[Sample] = []
        query = {"order": order}
        while limit is None or len(out) < limit:
            page = self._get(f"/categories/{int(category)}/members",
                             {**query, "limit": str(1000 if limit is None else min(1000, limit - len(out)))})
            out += [made(Sample, one) for one in page["members"]]
            if page["next"] is None:
                break
            query["from"] = str(page["next"])
        return out

    def exemplars(self, category: int, count: int = 8) -> list[Sample]:
        """The members nearest to the middle of a category."""
        return self.members(category, order="middle", limit=count)

    def nearest(self, category: int, count: int = 8) -> list[Near]:
        """The categories that lie nearest to one, best first; eight at most."""
        return [made(Near, one) for one in self._get(f"/categories/{int(category)}")["nearest"]][:count]

    def centroids(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Ids of all categories in force, ascending, and their unit directions (n, d). See Session.centroids."""
        found = self._get("/centroids")["centroids"]
        ids = np.asarray([one["category"] for one in found], dtype=np.int64)
        return ids, np.asarray([one["direction"] for one in found], dtype=np.float32)

    def neighbours(self, sequence: int, count: int = 8) -> list[Sample]:
        """Of the newest samples those nearest to one, with their `cosine`; eight at most."""
        found = self._get(f"/samples/{int(sequence)}")["neighbours"][:count]
        return [made(Sample, {"verdict": "", "now": one["category"], "now_name": one["name"], **one}) for one in found]

    def map(self) -> list[MapPoint]:
        """The largest prototypes along their two principal axes."""
        return [made(MapPoint, one) for one in self._get("/map")["points"]]

    def suggestions(self) -> list[Suggestion]:
        """Questions about the stream; `apply(suggestion.operation)` does what one proposes."""
        return [made(Suggestion, one) for one in self._get("/suggestions")["suggestions"]]

    def series(self) -> dict[str, Any]:
        """The stream in at most 256 steps: verdicts, evidence and categories created in each."""
        return self._get("/series")

    def _get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        return self.client._json("GET", self._path + path, query)

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
                with self.client._connections.ask("GET", f"{self._path}/events", query, headers=headers, whole=False) as answer:
                    for event in _events_of(answer):
                        after = event.id if event.id is not None else after
                        yield event
            except PacoError:
                raise
            except BROKEN:
                if after is None and start is None:
                    raise  # where the end was is not known

    def download(self, path: str | os.PathLike[str]) -> None:
        """The whole journal as it is at this moment, as a file that Session.open and SQLite read."""
        temporary = f"{os.fspath(path)}.part"
        with self.client._connections.ask("GET", f"{self._path}/journal", whole=False) as answer, open(temporary, "wb") as file:
            while chunk := answer.read(1 << 20):
                file.write(chunk)
        os.replace(temporary, path)


def _extra(id: str | None, text: str | None, attributes: Mapping[str, Any] | None, picture: bytes | None) -> dict[str, Any]:
    """What a sample brings besides its embedding."""
    shown, pictures = extras([text], [attributes], [picture], 1) if (text, attributes, picture) != (None, None, None) else ([], [])
    out: dict[str, Any] = {} if id is None else {"id": id}
    if shown and shown[0]:
        out["attributes"] = json.loads(shown[0])
    if pictures and pictures[0]:
        out["picture"] = base64.b64encode(pictures[0]).decode()
    return out


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
