"""The description of the interface: complete, true of the answers, and what the page's generated types were made of.

PACO_WRITE=1 writes web/src/serve/api/generated.ts anew.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from serve_test import ROWS, S, Served, samples  # noqa: E402
from server import ROOT  # noqa: E402

GENERATED = ROOT / "web" / "src" / "serve" / "api" / "generated.ts"


class Description(Served):
    def setUp(self):
        super().setUp()
        self.text = self.server.get("/v1/openapi.json").body
        self.description = json.loads(self.text)
        self.shapes = self.description["components"]["schemas"]

    def operations(self):
        for path, verbs in self.description["paths"].items():
            for verb, operation in verbs.items():
                yield path, verb, operation

    def faults(self, schema, value, at="answer"):
        """What of `value` does not fit its shape."""
        if "$ref" in schema:
            return self.faults(self.shapes[schema["$ref"].rsplit("/", 1)[1]], value, at)
        if value is None:
            return [] if schema.get("nullable") or schema == {} else [at + " is null"]
        if "anyOf" in schema:
            each = [self.faults(one, value, at) for one in schema["anyOf"]]
            return [] if [] in each else [f"{at} is {value!r:.60}"]
        found = [fault for part in schema.get("allOf", []) for fault in self.faults(part, value, at)]
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
        kind = schema.get("type")
        if kind and (not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean")):
            return [f"{at} is no {kind}: {value!r:.60}"]
        if value not in schema.get("enum", [value]):
            found.append(f"{at} is {value!r}")
        if kind == "array":
            found += [fault for i, one in enumerate(value) for fault in self.faults(schema["items"], one, f"{at}[{i}]")]
        if kind == "object":
            found += [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
            for name, one in value.items():
                inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
                found += self.faults(inner, one, f"{at}.{name}")
        return found

    def test_every_call_has_a_name_a_shape_and_its_refusals(self):
        names = [operation["operationId"] for _, _, operation in self.operations()]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(self.description["servers"])
        references = set()

        def walk(node):
            if isinstance(node, dict):
                references.update(v for k, v in node.items() if k == "$ref")
            for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
                walk(inner)

        walk(self.description)
        for reference in references:
            node = self.description
            for step in reference.removeprefix("#/").split("/"):
                self.assertIn(step, node, reference)
                node = node[step]
        used = {reference.rsplit("/", 1)[1] for reference in references}
        self.assertEqual(set(self.shapes) - used, set(), "a shape that nothing uses")
        for path, verb, operation in self.operations():
            with self.subTest(path=path, verb=verb):
                success = [status for status in operation["responses"] if status.startswith("2") and
                           (status, verb) != ("204", "delete")]
                self.assertEqual(len(success), 1)
                self.assertIn("400", operation["responses"])
                self.assertTrue(success == ["204"] or operation["responses"][success[0]]["content"])

    def test_answers_have_the_shapes_that_are_described(self):
        self.send(0, len(ROWS), attributes={"camera": "north", "hour": 7})
        a = self.get(S + "/categories?kind=discovered&faces=2")["categories"][0]["id"]
        posts = {"/v1/streams/{name}/samples": samples(0, 3),
                 "/v1/streams/{name}/operations": {"kind": "rename", "category": a, "name": "tit"},
                 "/v1/streams/{name}/snapshots": None,
                 "/v1/streams/{name}/operations/{event}/undo": None}
        seen = set()
        for path, verb, operation in sorted(self.operations(), key=lambda one: one[1] == "get"):
            if verb not in ("get", "post") or (verb == "post" and path not in posts):
                continue
            status, answer = next(one for one in operation["responses"].items() if one[0].startswith("2"))
            schema = answer["content"].get("application/json", {}).get("schema")
            if schema is None:
                continue
            event = len(ROWS)
            address = (path.replace("{name}", "birds").replace("{sequence}", "100").replace("{category}", str(a))
                       .replace("{event}", str(event)))
            address += "?form=manifest" if path.endswith("/export") else "?faces=3" if path.endswith("/categories") else ""
            got = self.server.call(verb.upper(), address, posts.get(path) if verb == "post" else None)
            with self.subTest(address=address):
                self.assertEqual(str(got.status), status, got.body)
                self.assertEqual(self.faults(schema, got.json), [])
                seen.add(path)
        self.assertGreater(len(seen), 15)
        refused = self.server.get(S + "/samples/99999")
        self.assertEqual(self.faults({"$ref": "#/Error"}, refused.json), [])
        self.assertNotEqual(self.faults({"$ref": "#/SamplePage"}, refused.json), [])

    def test_the_generated_types_are_those_of_this_server(self):
        node = shutil.which("node")
        if node is None:
            self.skipTest("node is not there")
        with tempfile.TemporaryDirectory() as folder:
            source, target = folder + "/openapi.json", folder + "/generated.ts"
            pathlib.Path(source).write_bytes(self.text)
            subprocess.run([node, ROOT / "web" / "generate_client.mjs", source, target], check=True)
            fresh = pathlib.Path(target).read_text()
            if os.environ.get("PACO_WRITE"):
                GENERATED.write_text(fresh)
            self.assertEqual(fresh, GENERATED.read_text(), "PACO_WRITE=1 writes it anew")
            tsc = pathlib.Path(os.environ.get("PACO_PROGRAM", "")).parent / "web/node_modules/typescript/bin/tsc"
            if not tsc.exists():
                self.skipTest("typescript is not there: the page was not built")
            use = pathlib.Path(folder) / "use.ts"
            use.write_text("import { calls, type SamplePage, type Category } from './generated';\n"
                           "const server = calls(async () => ({}));\n"
                           "export async function names(): Promise<(string | null)[]> {\n"
                           "  const page: SamplePage = await server.listSamples('birds', { limit: 3, sort: 'score' });\n"
                           "  const one: Category = await server.getCategory('birds', page.samples[0].now);\n"
                           "  await server.postOperation('birds', { kind: 'rename', category: one.id, name: 'tit' });\n"
                           "  return page.samples.map((sample) => sample.key);\n}\n")
            check = [node, tsc, "--noEmit", "--strict", "--target", "es2021", "--lib", "es2022,dom", "--moduleResolution",
                     "bundler", "--module", "esnext", "--types", "", use]
            done = subprocess.run(check, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            use.write_text(use.read_text().replace("sort: 'score'", "sorted: 'score'"))
            self.assertNotEqual(subprocess.run(check, capture_output=True).returncode, 0)


if __name__ == "__main__":
    unittest.main()
