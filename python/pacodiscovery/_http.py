"""HTTP with kept-alive connections, of the standard library. Requests that may be repeated are, with growing pauses."""

from __future__ import annotations

import http.client
import json
import random
import select
import ssl
import threading
import time
import urllib.parse
from typing import Any, Iterator, Mapping

from .errors import InputError, PacoError, ServerError, exception_for

BROKEN = (http.client.HTTPException, OSError)
_BUSY = (408, 429, 502, 503, 504)  # the server did nothing; again later
_KEPT = 8  # idle connections


class Answer:
    """An answer to read on, with its connection, which ends with it."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._response = response

    def read(self, count: int) -> bytes:
        return self._response.read(count)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._response)

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self._response.close()
        self._connection.close()


class Connections:
    """Connections to one server, used again and by any number of threads."""

    def __init__(self, url: str, headers: Mapping[str, str], retries: int, timeout: float, context: ssl.SSLContext | None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r} is no address of a server", "e.g. http://localhost:8600", "bad_argument")
        self.url = url.rstrip("/")
        self.retries = retries
        self._headers = dict(headers)
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._secure, self._timeout, self._context = parts.scheme == "https", timeout, context
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        """Ends the idle connections; the next request makes a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connection(self, fresh: bool) -> http.client.HTTPConnection:
        while not fresh:
            with self._lock:
                if not self._idle:
                    break
                connection = self._idle.pop()
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                return connection
            connection.close()  # the server has ended it, or says something that nobody asked for
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _KEPT:
                return self._idle.append(connection)
        connection.close()

    def _once(self, verb: str, path: str, body: bytes | None, headers: Mapping[str, str], whole: bool, fresh: bool) -> Any:
        """(status, what it says, body or Answer, headers)"""
        connection = self._connection(fresh)
        try:
            connection.request(verb, self._path + path, body, {**self._headers, **headers})
            response = connection.getresponse()
            if not whole and response.status < 300:
                return response.status, "", Answer(connection, response), response.headers
            data = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._keep(connection)
        return response.status, response.reason, data, response.headers

    def ask(self, verb: str, path: str, query: Mapping[str, str] | None = None, body: bytes | None = None,
            kind: str = "application/json", again: bool = True, headers: Mapping[str, str] | None = None,
            whole: bool = True) -> Any:
        """The whole answer, or one to read on. `again`: may be sent again although an earlier one may have arrived."""
        address = path + ("?" + urllib.parse.urlencode(query) if query else "")
        extra = {**(headers or {}), **({} if body is None else {"Content-Type": kind})}
        for attempt in range(self.retries + 1):
            try:
                # What may arrive only once does not go over a connection that may have ended meanwhile.
                status, reason, data, found = self._once(verb, address, body, extra, whole, fresh=not again)
                if status < 300:
                    return data
                failure, pause = _failure_of(self.url + path, status, reason, data), found.get("Retry-After", "")
                if status not in _BUSY:
                    raise failure
            except BROKEN as error:
                if isinstance(error, PacoError):
                    raise
                failure, pause = ServerError(f"{self.url}: {error or type(error).__name__}", "is the server running?", "unavailable"), ""
                if not again and not isinstance(error, ConnectionRefusedError):
                    failure.hint = "it may have arrived: look at the history before sending it again"
                    raise failure from error
            if attempt == self.retries:
                raise failure
            time.sleep(float(pause) if pause.isdigit() else min(5.0, 0.05 * 2**attempt) * random.uniform(0.5, 1.0))
        raise AssertionError


def _failure_of(address: str, status: int, reason: str, body: bytes) -> Exception:
    """The exception for a refusal, in the server's words."""
    try:
        answer = json.loads(body)["error"]
        failure: Exception = exception_for(answer["code"], answer["message"], answer.get("hint", ""))
    except (ValueError, KeyError, TypeError):
        failure = ServerError(f"{address}: {status} {reason}", "is this the address of a paco server?", "unavailable")
    if status >= 500 and not isinstance(failure, ServerError):
        return ServerError(getattr(failure, "message", ""), getattr(failure, "hint", ""), getattr(failure, "code", ""))
    return failure
