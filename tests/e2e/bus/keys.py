"""Keys and certificates for the tests of `paco bus`, made by openssl: TLS, and the credentials of NATS.

A user of NATS is a key pair that an account has signed for, and an account one that the operator of the servers has signed
for; each signature is a JSON web token. A .creds file has a user's token and the seed of its key.
"""

import base64
import json
import subprocess

KINDS = {"operator": 14 << 3, "account": 0, "user": 20 << 3}
SEED = 18 << 3


def openssl(*words, stdin=None):
    return subprocess.run(["openssl", *map(str, words)], input=stdin, check=True, capture_output=True).stdout


def text_of(data):
    """Base 32 with a checksum behind, as NATS writes keys."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
        crc &= 0xFFFF
    return base64.b32encode(data + crc.to_bytes(2, "little")).decode().rstrip("=")


class Key:
    def __init__(self, folder, name, kind):
        self.path = folder / f"{name}.pem"
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.path)
        private = openssl("pkey", "-in", self.path, "-outform", "DER")[-32:]
        public = openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")[-32:]
        mark = KINDS[kind]
        self.name, self.kind = name, kind
        self.public = text_of(bytes([mark]) + public)
        self.seed = text_of(bytes([SEED | mark >> 5, (mark & 31) << 3]) + private)

    def sign(self, whom, **claims):
        """A token in which this key says something of another."""
        def part(value):
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            return base64.urlsafe_b64encode(raw).rstrip(b"=")
        body = part({"typ": "JWT", "alg": "ed25519-nkey"}) + b"." + part(
            {"jti": whom.name, "iat": 1700000000, "iss": self.public, "sub": whom.public, "name": whom.name,
             "nats": {"type": whom.kind, "version": 2, **claims}})
        message = self.path.with_suffix(".txt")
        message.write_bytes(body)
        return (body + b"." + part(openssl("pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", message))).decode()


class Accounts:
    """An operator and one account that may use JetStream; settings() is what a server has to know."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        self.operator = Key(folder, "operator", "operator")
        self.account, self.system = (Key(folder, name, "account") for name in ("account", "system"))

    def settings(self):
        free = {"subs": -1, "conn": -1, "leaf": -1, "imports": -1, "exports": -1, "data": -1, "payload": -1,
                "wildcards": True, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}
        return [f"operator: {self.operator.sign(self.operator)}", "resolver: MEMORY",
                f"system_account: {self.system.public}",
                "resolver_preload: { %s: %s, %s: %s }" % (self.account.public, self.operator.sign(self.account, limits=free),
                                                         self.system.public, self.operator.sign(self.system))]

    def credentials(self, name, signer=None):
        """The .creds file of a user; `signer`: an account key, this account's unless it is given."""
        user = Key(self.folder, name, "user")
        token = (signer or self.account).sign(user, subs=-1, data=-1, payload=-1)
        path = self.folder / f"{name}.creds"
        path.write_text(f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
                        f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")
        return path


def certificates(folder):
    """A CA of its own (ca.pem), and what it signed: server.pem for 127.0.0.1 and client.pem, each with NAME.key."""
    folder.mkdir()
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", folder / "ca.key", "-out", folder / "ca.pem", "-days", "2", "-subj", "/CN=tests")
    for name in ("server", "client"):
        request = folder / f"{name}.csr"
        openssl("req", *curve, "-keyout", folder / f"{name}.key", "-out", request, "-subj", f"/CN={name}")
        extra = folder / f"{name}.ext"
        extra.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        openssl("x509", "-req", "-in", request, "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", extra, "-out", folder / f"{name}.pem")
    return folder
