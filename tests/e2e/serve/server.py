"""A real `paco serve` for tests, and a client of the standard library that speaks to it.

Nothing here knows how the server is built: processes, sockets, JSON.
"""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
TINY = ROOT / "tests" / "golden" / "tiny"


def program():
    return os.environ.get("PACO_PROGRAM", str(ROOT / "build" / "release" / "paco"))


def run_paco(*arguments):
    return subprocess.run([program(), *map(str, arguments)], check=True, capture_output=True).stdout


def tiny_model(folder):
    path = pathlib.Path(folder) / "model.paco"
    run_paco("calibrate", "--support", TINY / "support.npy", "--labels", TINY / "support_labels.npy",
             "--out", path)
    return path.read_bytes()


def read_npy(path):
    """A little-endian float array of two dimensions as lists."""
    import ast
    import struct
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    letter = {"<f4": "f", "<f8": "d"}[header["descr"]]
    rows, columns = header["shape"]
    numbers = struct.unpack(f"<{rows * columns}{letter}", data[10 + length:])
    return [list(numbers[i * columns:(i + 1) * columns]) for i in range(rows)]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """`paco serve FOLDER` on a free port. Killed at the end of a `with`."""

    def __init__(self, folder, *options):
        self.folder, self.options, self.process = str(folder), options, None
        self.port_file = tempfile.mktemp(prefix="paco-port-")
        self.log_file = tempfile.mktemp(prefix="paco-log-")

    def start(self):
        if os.path.exists(self.port_file):
            os.remove(self.port_file)
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [program(), "serve", self.folder, "--port", "0", "--port-file", self.port_file,
                 *map(str, self.options)], stderr=log, stdout=subprocess.DEVNULL)
        while not os.path.exists(self.port_file):
            if self.process.poll() is not None:
                raise RuntimeError("\n".join(self.log()))
            time.sleep(0.01)  # for the process, not for a result
        self.port = int(pathlib.Path(self.port_file).read_text())
        return self

    def log(self):
        """The lines it has said so far."""
        return pathlib.Path(self.log_file).read_text(errors="replace").splitlines()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """As Ctrl-C does; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        for path in (self.port_file, self.log_file):
            if os.path.exists(path):
                os.remove(path)

    def connection(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, type=None, token=None, headers=None, connection=None):
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body, type = json.dumps(body).encode(), type or "application/json"
        if type:
            headers["Content-Type"] = type
        if token:
            headers["Authorization"] = "Bearer " + token
        own = connection is None
        connection = connection or self.connection()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            if own:
                connection.close()

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def wait_ready(self, name, token=None):
        while True:
            stream = self.get(f"/v1/streams/{name}", token=token).json
            if stream["state"] in ("ready", "failed"):
                return stream
            time.sleep(0.01)

    def raw(self, data, timeout=10):
        """Bytes as they are; all that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as peer:
            peer.sendall(data)
            got = b""
            try:
                while chunk := peer.recv(65536):
                    got += chunk
            except (ConnectionResetError, socket.timeout):
                pass
            return got

    def events(self, path, count, last=None):
        """The first `count` server-sent events as (id, kind, data)."""
        connection = self.connection()
        connection.request("GET", path, headers={"Last-Event-ID": str(last)} if last is not None else {})
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(answer.read())
        found, fields = [], {}
        while len(found) < count:
            line = answer.readline().decode().rstrip("\n")
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            else:
                if "data" in fields:
                    number = int(fields["id"]) if "id" in fields else None
                    found.append((number, fields["event"], json.loads(fields["data"])))
                fields = {}
        connection.close()
        return found


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    sys.exit("this is a part of the tests beside it")
