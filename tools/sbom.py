#!/usr/bin/env python3
"""Prints what paco is built of, as CycloneDX 1.5 JSON: Debian packages (tools/packages.txt, with the versions installed here)
and npm packages (web/package-lock.json).

    tools/sbom.py VERSION > paco-VERSION.cdx.json
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent


def debian():
    """What a build without tests needs, without what stands in for it by a command of the same name."""
    for line in (ROOT / "tools/packages.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if not words or "test" in words[1:]:
            continue
        found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\t${Architecture}", words[0]], capture_output=True, text=True)
        if found.returncode:
            continue  # another program stands in for it
        version, architecture = found.stdout.split("\t")
        yield {"type": "library", "name": words[0], "version": version,
               "purl": f"pkg:deb/debian/{words[0]}@{version}?arch={architecture}"}


def npm():
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    for path, entry in lock["packages"].items():
        if not path or entry.get("dev") or entry.get("optional"):
            continue
        name = path.split("node_modules/")[-1]
        component = {"type": "library", "name": name, "version": entry["version"],
                     "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"}
        if "license" in entry:
            component["licenses"] = [{"license": {"id": entry["license"]}}]
        algorithm, _, digest = entry.get("integrity", "").partition("-")
        if algorithm == "sha512":
            component["hashes"] = [{"alg": "SHA-512", "content": base64.b64decode(digest).hex()}]
        yield component


def main():
    if len(sys.argv) != 2 or not re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", sys.argv[1]):
        sys.exit("usage: tools/sbom.py VERSION, such as 1.0.0")
    version = sys.argv[1]
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        # The same version gives the same number.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_DNS, 'paco-' + version)}",
        "metadata": {"component": {"type": "application", "name": "paco", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [*debian(), *npm()],
    }, indent=1))


main()
