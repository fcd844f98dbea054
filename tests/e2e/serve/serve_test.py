"""What the server promises, on a real process with the golden stream `tiny`."""

import base64
import csv
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from server import ROOT, TINY, Server, read_npy, run_paco, tiny_model  # noqa: E402

ROWS = read_npy(TINY / "stream.npy")
S = "/v1/streams/birds"


def samples(first, last, **more):
    return {"samples": [{"embedding": ROWS[i], "key": f"k{i}", **more} for i in range(first, last)]}


class Served(unittest.TestCase):
    """A server with the stream `birds`, its model put in."""

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="paco-model-")
        cls.model = tiny_model(cls.made)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="paco-serve-")
        self.server = Server(self.folder, *self.options()).start()
        answer = self.server.call("PUT", S, self.model, "application/octet-stream", self.token())
        self.assertEqual(answer.status, 201, answer.body)

    def tearDown(self):
        self.server.__exit__()
        shutil.rmtree(self.folder)

    def options(self):
        return []

    def token(self):
        return None

    def send(self, first, last, **more):
        answer = self.server.call("POST", S + "/samples", samples(first, last, **more))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json["decisions"]

    def get(self, path):
        answer = self.server.get(path)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def operate(self, **operation):
        return self.server.call("POST", S + "/operations", operation)


class Streams(Served):
    def test_decisions_are_those_of_paco_discover(self):
        out = pathlib.Path(self.made) / "d.jsonl"
        run_paco("discover", "--model", self.made + "/model.paco", "--input", TINY / "stream.npy",
                 "--out", out)
        expected = [json.loads(line) for line in out.read_text().splitlines()]
        got = self.send(0, 100) + [self.send(i, i + 1)[0] for i in range(100, 110)]
        npy = (TINY / "stream.npy").read_bytes()
        for e, g in zip(expected, got):
            self.assertEqual((e["sequence"], e["category"], e["name"], e["verdict"], e["score"]),
                             (g["sequence"], g["category"], g["name"], g["verdict"], g["score"]))
            self.assertEqual(e["branch"], g["evidence"]["branch"])
        self.server.call("PUT", "/v1/streams/whole", self.model)
        whole = self.server.call("POST", "/v1/streams/whole/samples?brief=1", npy, "application/x-npy")
        self.assertEqual([d["category"] for d in whole.json["decisions"]],
                         [e["category"] for e in expected])

    def test_a_key_is_answered_once_also_after_a_restart(self):
        first = self.send(0, 5)
        again = self.send(0, 6)
        self.assertEqual([d["sequence"] for d in again], [0, 1, 2, 3, 4, 5])
        self.assertEqual([d["repeated"] for d in again], [True] * 5 + [False])
        self.assertEqual(self.server.stop(), 130)
        self.server.start()
        self.server.wait_ready("birds")
        self.assertEqual([d["category"] for d in self.send(0, 5)], [d["category"] for d in first])
        self.assertEqual(self.get(S)["samples"], 6)

    def test_a_key_that_comes_again_with_other_content_is_refused_and_nothing_beside_it_decided(self):
        self.send(0, 5)
        mixed = samples(4, 8)
        mixed["samples"][2]["key"] = "k3"
        answer = self.server.call("POST", S + "/samples", mixed)
        self.assertEqual((answer.status, answer.json["error"]["row"]), (409, 2), answer.body)
        self.assertIn("'k3'", answer.json["error"]["message"])
        twice = {"samples": [{"embedding": ROWS[i], "key": "new"} for i in (6, 7)]}
        self.assertEqual(self.server.call("POST", S + "/samples", twice).status, 409)
        self.assertEqual(self.get(S)["samples"], 5)
        rounded = {"samples": [{"embedding": [round(x, 6) for x in ROWS[3]], "key": "k3"}]}
        self.assertTrue(self.server.call("POST", S + "/samples", rounded).json["decisions"][0]["repeated"])

    def test_an_operation_with_a_key_is_done_once_also_after_a_restart(self):
        self.send(0, 5)
        name = {"kind": "rename", "category": 0, "name": "tit", "key": "a"}
        first = self.operate(**name).json
        self.assertEqual((first["event"], first["request"]["key"]), (5, "a"))
        self.server.stop()
        self.server.start()
        self.server.wait_ready("birds")
        again = self.operate(**name)
        self.assertEqual((again.status, again.json), (200, first))
        other = self.operate(**{**name, "name": "wren"})
        self.assertEqual(other.status, 409)
        self.assertIn("event 5", other.json["error"]["message"])
        undo = [self.server.call("POST", S + "/operations/5/undo?key=u").json["event"] for _ in range(2)]
        self.assertEqual(undo, [6, 6])
        self.assertEqual(self.get(S)["events"], 7)

    def test_samples_have_the_time_when_they_came_and_are_found_by_it(self):
        self.send(0, 20)
        came = self.get(S + "/samples/19")["time"]
        self.assertAlmostEqual(came, time.time(), delta=60)
        inside = self.get(f"{S}/samples?time_from={came - 60}&time_to={came}")
        self.assertEqual((inside["total"], len(inside["samples"])), (20, 20))
        for outside in (f"time_to={came - 60}", f"time_from={came + 60}"):
            for more in ("", "&sort=score", "&category=0", "&verdict=known", "&order=newest"):
                page = self.get(f"{S}/samples?{outside}{more}")
                self.assertEqual((page["total"], page["samples"], page["next"]), (0, [], None), outside + more)
        recent = self.get(S + "/recent")
        self.assertEqual(sum(step["samples"] for step in recent["steps"]), 20)

    def test_suggestions_know_of_what_happened_before_the_event_that_is_named(self):
        self.send(0, len(ROWS))
        self.assertGreaterEqual(self.get(f"{S}/suggestions?after={len(ROWS)}")["event"], len(ROWS))
        self.assertEqual(self.server.get(f"{S}/suggestions?after={len(ROWS) + 1}").status, 409)
        event = self.operate(kind="rename", category=0, name="tit").json["event"]
        self.assertGreater(self.get(S + "/suggestions")["event"], event)

    def test_many_senders_at_once_lose_and_double_nothing(self):
        def work(part):
            connection = self.server.connection()
            for i in range(part, 200, 8):
                answer = self.server.call("POST", S + "/samples", samples(i, i + 1),
                                          connection=connection)
                if answer.status != 200:
                    failed.append(answer.body)
                sequences.append(answer.json["decisions"][0]["sequence"])
            connection.close()

        failed, sequences = [], []
        threads = [threading.Thread(target=work, args=(part,)) for part in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(sorted(sequences), list(range(200)))

    def test_a_stream_that_is_there_is_kept(self):
        self.assertEqual(self.server.call("PUT", S, self.model).status, 200)
        support = (TINY / "support.npy").read_bytes()
        self.assertEqual(self.server.call("PUT", S, b"no model").status, 400)
        self.assertEqual(self.server.call("PUT", S + "/support/embeddings", support).status, 409)
        self.assertEqual(self.server.call("DELETE", S).status, 409)

    def test_a_support_set_becomes_a_stream(self):
        new = "/v1/streams/new"
        put = self.server.call("PUT", new + "/support/embeddings", (TINY / "support.npy").read_bytes())
        self.assertEqual((put.status, put.json["dimension"]), (200, 16))
        labels = (TINY / "support_labels.npy").read_bytes()
        put = self.server.call("PUT", new + "/support/labels", labels)
        self.assertEqual((put.status, put.json["classes"]), (200, 6))
        begun = self.server.call("POST", new + "/calibrate", {"method": "paco"})
        self.assertEqual(begun.status, 202, begun.body)
        self.assertEqual(self.server.wait_ready("new")["state"], "ready")
        mine = self.server.call("POST", new + "/samples", samples(0, 60)).json["decisions"]
        self.assertEqual([d["category"] for d in mine], [d["category"] for d in self.send(0, 60)])
        self.assertEqual(self.server.call("POST", "/v1/streams/other/calibrate", {}).status, 409)
        bad = self.server.call("POST", "/v1/streams/bad/calibrate", {"support": {
            "embeddings": [[1, 2], [3, 4]], "labels": ["a"]}})
        self.assertEqual(bad.status, 400, bad.body)

    def test_the_journal_comes_whole_while_it_runs(self):
        self.send(0, 50)
        answer = self.server.get(S + "/journal")
        path = pathlib.Path(self.made) / "copy.journal"
        path.write_bytes(answer.body)
        replayed = json.loads(run_paco("replay", path, "--json"))
        self.assertEqual(replayed["samples"], 50)
        run_paco("journal", "verify", path)
        self.assertEqual([p.name for p in pathlib.Path(self.folder).glob(".*copy*")], [])
        model = self.server.get(S + "/model").body
        self.assertEqual(self.server.call("PUT", "/v1/streams/twin", model).status, 201)
        self.assertEqual(self.server.call("POST", S + "/snapshots").status, 201)
        self.assertEqual(self.get(S + "/snapshots")["snapshots"][-1]["sequence"], 50)

    def test_samples_come_page_by_page(self):
        self.send(0, 120)
        seen, at = [], 0
        while at is not None:
            page = self.get(f"{S}/samples?from={at}&limit=50")
            seen += [s["sequence"] for s in page["samples"]]
            at = page["next"]
        self.assertEqual(seen, list(range(120)))
        newest = self.get(S + "/samples?order=newest&limit=3")
        self.assertEqual([s["sequence"] for s in newest["samples"]], [119, 118, 117])
        born = self.get(S + "/samples?verdict=created")["samples"]
        self.assertTrue(born and all(s["verdict"] == "created" for s in born))
        self.assertEqual(self.get(S + "/samples?key=k7")["samples"][0]["sequence"], 7)
        one = self.get(S + "/samples/7")
        self.assertIn("Sample 7", one["explanation"])
        self.assertEqual(len(one["neighbours"]), 8)
        self.assertTrue(one["runner_ups"])
        self.assertEqual(self.server.get(S + "/samples/120").status, 404)

    def pages(self, query, limit=7):
        """All samples of a filtered list, page by page, and what `total` said each time."""
        seen, totals, at = [], set(), None
        while True:
            page = self.get(f"{S}/samples?limit={limit}&{query}" + (f"&from={at}" if at is not None else ""))
            seen += page["samples"]
            totals.add(page["total"])
            at = page["next"]
            if at is None:
                return seen, totals

    def test_filtered_lists_are_whole_and_say_how_many(self):
        for i in range(0, 120, 20):
            self.send(i, i + 20, attributes={"camera": "North" if i % 40 else "south", "hour": i}, id=f"trap/{i}.jpg")
        everything = self.get(S + "/samples?limit=1000")["samples"]
        born = self.get(S + "/categories?kind=discovered&sort=size&order=desc")["categories"][0]["id"]
        middle = sorted(s["score"] for s in everything)[60]
        for query, fits in (
                ("verdict=created", lambda s: s["verdict"] == "created"),
                (f"category={born}", lambda s: s["now"] == born),
                (f"category={born}&verdict=created", lambda s: s["now"] == born and s["verdict"] == "created"),
                ("attribute=camera=North", lambda s: s["attributes"]["camera"] == "North"),
                ("attribute=camera=North&attribute=hour=20", lambda s: s["attributes"]["hour"] == 20),
                ("attribute=camera=north", lambda s: False),
                ("search=SOUTH", lambda s: s["attributes"]["camera"] == "south"),
                ("search=trap/2", lambda s: s["id"] == "trap/20.jpg"),
                ("search=k11", lambda s: "k11" in s["key"]),
                (f"score_from={middle!r}", lambda s: s["score"] >= middle),
                (f"score_from=0&score_to={middle!r}&search=north",
                 lambda s: 0 <= s["score"] <= middle and s["attributes"]["camera"] == "North")):
            expected = [s["sequence"] for s in everything if fits(s)]
            with self.subTest(query=query):
                found, totals = self.pages(query)
                self.assertEqual(([s["sequence"] for s in found], totals), (expected, {len(expected)}))
                self.assertTrue(all(fits(s) for s in found))
                found, totals = self.pages(query + "&order=newest")
                self.assertEqual(([s["sequence"] for s in found], totals), (expected[::-1], {len(expected)}))
                scores = [s["score"] for s in self.pages(query + "&sort=score&order=desc")[0]]
                self.assertEqual(scores, sorted((s["score"] for s in everything if fits(s)), reverse=True))
        self.assertEqual(self.pages("")[1], {120})
        more = {"samples": [{"embedding": ROWS[0], "key": "more", "attributes": {"camera": "North"}}]}
        self.assertEqual(self.server.call("POST", S + "/samples", more).status, 200)
        self.assertEqual(self.pages("attribute=camera=North")[1], {61})
        for bad in ("attribute=camera", "score_from=x", "sort=name", "verdict=new", "category=99999"):
            self.assertIn(self.server.get(f"{S}/samples?{bad}").status, (400, 404), bad)

    def test_pictures_and_attributes_come_back(self):
        picture = (ROOT / "fuzz" / "corpus" / "png" / "rgb.png").read_bytes()
        text = base64.b64encode(picture).decode()
        self.send(0, 1, picture=text, attributes={"camera": "north", "hour": 7}, id="a.png")
        one = self.get(S + "/samples/0")
        self.assertEqual((one["attributes"], one["picture"], one["id"]),
                         ({"camera": "north", "hour": 7}, True, "a.png"))
        answer = self.server.get(S + "/samples/0/picture")
        self.assertEqual((answer.body, answer.headers["Content-Type"]), (picture, "image/png"))
        self.assertEqual(self.server.get(S + "/samples/1/picture").status, 404)


class Categories(Served):
    def setUp(self):
        super().setUp()
        self.send(0, len(ROWS))

    def discovered(self):
        return self.get(S + "/categories?kind=discovered&sort=size&order=desc&faces=2")["categories"]

    def test_every_sample_is_a_member_of_one_category(self):
        seen = []
        for category in self.get(S + "/categories?limit=1000")["categories"]:
            at, path = None, f"{S}/categories/{category['id']}/members?order=oldest&limit=7"
            while True:
                page = self.get(path + (f"&from={at}" if at is not None else ""))
                seen += [s["sequence"] for s in page["members"]]
                at = page["next"]
                if at is None:
                    break
        self.assertEqual(sorted(seen), list(range(len(ROWS))))

    def test_operations_are_done_and_taken_back(self):
        a, b = [c["id"] for c in self.discovered()[:2]]
        before = self.get(S + "/categories?limit=1000")["categories"]
        renamed = self.operate(kind="rename", category=a, name="heron", actor="ann")
        self.assertEqual((renamed.status, renamed.json["actor"]), (200, "ann"))
        self.assertEqual(self.operate(kind="rename", category=b, name="heron").status, 409)
        merged = self.operate(kind="merge", categories=[b], into=a).json
        self.assertEqual(self.get(f"{S}/categories/{b}")["now"], a)
        refused = self.server.call("POST", f"{S}/operations/99999/undo")
        self.assertIn(refused.status, (404, 409))
        for event in (merged["event"], renamed.json["event"]):
            undone = self.server.call("POST", f"{S}/operations/{event}/undo")
            self.assertEqual(undone.status, 200, undone.body)
        self.assertEqual(self.get(S + "/categories?limit=1000")["categories"], before)
        history = self.get(S + "/operations")["operations"]
        self.assertEqual([o["kind"] for o in history], ["undo", "undo", "merge", "rename"])
        self.assertEqual(history[3]["undone_by"], history[0]["event"])

    def test_moved_samples_are_members_elsewhere_also_after_a_kill(self):
        a = self.discovered()[0]
        picked = [f["sequence"] for f in a["faces"]]
        moved = self.operate(kind="move", samples=picked, into="new", name="egret")
        self.assertEqual(moved.status, 200, moved.body)
        new = moved.json["category"]
        for _ in range(2):
            members = self.get(f"{S}/categories/{new}/members")
            self.assertEqual([s["sequence"] for s in members["members"]], picked)
            for shown in (members["members"][0], self.get(f"{S}/samples/{picked[0]}")):
                self.assertEqual((shown["member_of"], shown["now"], shown["now_name"]), (new, new, "egret"))
            self.server.kill()
            self.server.start()
            self.server.wait_ready("birds")

    def test_an_exported_journal_has_what_people_corrected(self):
        run_paco("journal", "export", self.folder + "/birds.journal", "--out", self.folder + "/plain")
        run_paco("evaluate", "--decisions", self.folder + "/plain/decisions.csv", "--truth", TINY / "stream_labels.npy",
                 "--known", "6")
        extra = {"samples": [{"embedding": ROWS[0], "key": "last", "attributes": {"file": "=a,b.jpg"}}]}
        self.assertEqual(self.server.call("POST", S + "/samples", extra).status, 200)
        moved = self.operate(kind="move", samples=[3], into="new", name="egret").json["category"]
        run_paco("journal", "export", self.folder + "/birds.journal", "--out", self.folder + "/out")
        with open(self.folder + "/out/decisions.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        shown = self.get(S + "/samples?limit=1000")["samples"]
        self.assertEqual([(int(r["now"]), r["now_name"], r["key"]) for r in rows],
                         [(s["now"], s["now_name"], s["key"]) for s in shown])
        self.assertEqual((int(rows[3]["now"]), rows[3]["now_name"]), (moved, "egret"))
        self.assertEqual(json.loads(rows[-1]["attributes"]), {"file": "=a,b.jpg"})

    def test_results_come_with_corrections_as_a_table_and_by_category(self):
        extra = {"samples": [{"embedding": ROWS[0], "id": 'trap 7/a,"b".jpg', "attributes": {"camera": "=north"}}]}
        self.assertEqual(self.server.call("POST", S + "/samples", extra).status, 200)
        a, b = [c["id"] for c in self.discovered()[:2]]
        self.operate(kind="rename", category=a, name='a "grey" heron')
        self.operate(kind="merge", categories=[b], into=a)
        moved = self.operate(kind="move", samples=[3, 5], into="new", name="egret").json["category"]
        answer = self.server.get(S + "/export?form=csv")
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/csv; charset=utf-8"))
        self.assertIn("birds.csv", answer.headers["Content-Disposition"])
        rows = list(csv.DictReader(answer.body.decode().splitlines()))
        shown = self.get(S + "/samples?limit=1000")["samples"]
        self.assertEqual(list(rows[0]), ["file", "name", "category", "verdict", "score", "now", "now_name", "key",
                                         "attributes"])
        self.assertEqual([(r["file"], r["name"], int(r["category"]), r["verdict"], float(r["score"] or "nan"),
                           int(r["now"]), r["now_name"], r["key"] or None) for r in rows],
                         [(s["id"] or s["key"], s["name"], s["category"], s["verdict"], s["score"], s["now"],
                           s["now_name"], s["key"]) for s in shown])
        self.assertEqual((rows[-1]["file"], json.loads(rows[-1]["attributes"])),
                         ('trap 7/a,"b".jpg', {"camera": "=north"}))
        manifest = self.get(S + "/export?form=manifest")
        files = {c["category"]: (c["name"], c["files"]) for c in manifest["categories"]}
        expected = {}
        for s in shown:
            expected.setdefault(s["now"], (s["now_name"], []))[1].append(s["id"] or s["key"])
        self.assertEqual(files, expected)
        self.assertEqual((files[moved], manifest["samples"]), (("egret", ["k3", "k5"]), len(shown)))
        self.assertEqual(self.server.get(S + "/export?form=xml").status, 400)

    def test_map_series_and_orders_speak_of_the_same_stream(self):
        points = self.get(S + "/map")["points"]
        self.assertEqual({p["category"] for p in points},
                         {c["id"] for c in self.get(S + "/categories?limit=1000")["categories"]})
        series = self.get(S + "/series")
        self.assertEqual(sum(s["count"] for s in series["steps"]), len(ROWS))
        a = self.discovered()[0]["id"]
        self.assertEqual(self.get(f"{S}/categories/{a}")["nearest"][0].keys(),
                         {"category", "name", "cosine"})
        cosines = [s["cosine"] for s in self.get(f"{S}/categories/{a}/members?order=edge")["members"]]
        self.assertEqual(cosines, sorted(cosines))

    def test_suggestions_on_the_golden_stream_name_what_is_there(self):
        insight = self.get(S + "/suggestions")
        self.assertEqual(insight["warnings"], [])
        self.assertEqual([s["kind"] for s in insight["suggestions"]].count("look"), 10)
        for suggestion in insight["suggestions"]:
            self.assertEqual(suggestion.keys(),
                             {"id", "kind", "reason", "strength", "operation", "categories", "samples"})
            self.assertTrue(suggestion["reason"])

    def test_members_are_paged_by_their_distance_and_say_who_was_confirmed(self):
        category = self.discovered()[0]["id"]
        whole = self.get(f"{S}/categories/{category}/members?order=edge")["members"]
        pages, at = [], 0
        while at is not None:
            page = self.get(f"{S}/categories/{category}/members?order=edge&limit=20&from={at}")
            pages += page["members"]
            at = page["next"]
        self.assertEqual([s["sequence"] for s in pages], [s["sequence"] for s in whole])
        self.assertEqual([s["cosine"] for s in pages], sorted(s["cosine"] for s in pages))
        confirmed = sorted(s["sequence"] for s in whole[1:4])
        self.operate(kind="verify", samples=confirmed)
        page = self.get(f"{S}/categories/{category}/members?order=edge&limit=20")["members"]
        self.assertEqual(sorted(s["sequence"] for s in page if s["verified"]), confirmed)
        self.assertEqual(self.get(f"{S}/categories/{category}")["verified"], 3)

    def test_a_map_of_samples_has_each_once_with_its_category(self):
        answer = self.get(S + "/map/samples?limit=100")
        points = answer["points"]
        self.assertEqual(len({p["sequence"] for p in points}), 100)
        self.assertEqual(answer["samples"], 274)
        self.assertIn(273, [p["sequence"] for p in points])
        for point in points[:5]:
            sample = self.get(f"{S}/samples/{point['sequence']}")
            self.assertEqual((point["category"], point["name"], point["verdict"]),
                             (sample["now"], sample["now_name"], sample["verdict"]))
        self.assertEqual(max(max(abs(p["x"]), abs(p["y"])) for p in points), 1)
        near = 0
        for one in points:
            other = min((p for p in points if p is not one),
                        key=lambda p: (p["x"] - one["x"]) ** 2 + (p["y"] - one["y"]) ** 2)
            near += other["category"] == one["category"]
        self.assertGreater(near, 70)

    def test_an_unnamed_category_is_described_by_its_texts_and_the_nearest_known_class(self):
        one = self.discovered()[0]
        self.assertEqual(one["keywords"], [])
        self.assertIsNone(one["suggested_name"])
        known = self.get(f"{S}/categories/{one['like']['category']}")
        self.assertEqual((known["kind"], known["name"], known["like"]), ("known", one["like"]["name"], None))
        nearest = [n for n in self.get(f"{S}/categories/{one['id']}")["nearest"] if n["category"] == known["id"]]
        self.assertTrue(not nearest or abs(nearest[0]["cosine"] - one["like"]["cosine"]) < 1e-9)

    def test_two_halves_of_a_category_are_suggested_for_merging_until_they_are_one(self):
        def merges():
            return [s for s in self.get(S + "/suggestions")["suggestions"] if s["kind"] == "merge"]

        self.assertEqual(merges(), [])
        whole = self.discovered()[0]["id"]
        members = [s["sequence"] for s in self.get(f"{S}/categories/{whole}/members")["members"]]
        half = self.operate(kind="move", samples=members[: len(members) // 2], into="new").json["category"]
        found = merges()
        self.assertEqual([set(s["categories"]) for s in found], [{whole, half}])
        self.operate(**found[0]["operation"])
        self.assertEqual(merges(), [])


class Events(Served):
    def test_events_come_without_gap_or_double_from_anywhere(self):
        self.send(0, 30)
        self.operate(kind="rename", category=0, name="wren")
        self.send(30, 40)
        events = self.server.events(S + "/events?from=0&kinds=sample,operation", 41)
        self.assertEqual([e[0] for e in events], list(range(41)))
        self.assertEqual(events[30][1], "operation")
        self.assertEqual(self.server.events(S + "/events?kinds=sample,operation", 10, last=30)[0][0], 31)
        self.server.kill()
        self.server.start()
        self.server.wait_ready("birds")
        self.send(40, 42)
        later = self.server.events(S + "/events?kinds=sample", 3, last=39)
        self.assertEqual([e[0] for e in later], [40, 41, 42])

    def test_only_births_come_where_only_they_are_asked_for(self):
        decisions = self.send(0, 274)
        born = [d["sequence"] for d in decisions if d["verdict"] == "created"]
        events = self.server.events(S + "/events?from=0&kinds=created", len(born))
        self.assertEqual([e[2]["sequence"] for e in events], born)


class Clients(Served):
    def run_client(self, *arguments):
        return run_paco(*arguments, "--server", f"http://127.0.0.1:{self.server.port}", "--stream", "birds")

    def test_what_is_sent_twice_is_decided_once_and_watched_in_order(self):
        for repeated in (0, len(ROWS)):
            sent = json.loads(self.run_client("send", "--input", TINY / "stream.npy", "--key-prefix", "r-",
                                              "--block", 100, "--json"))
            self.assertEqual((sent["samples"], sent["repeated"]), (len(ROWS), repeated))
        seen = self.run_client("watch", "--from", 0, "--count", 50, "--json").decode().splitlines()
        self.assertEqual([json.loads(line)["event"] for line in seen], list(range(50)))
        self.assertEqual(json.loads(seen[7])["key"], "r-7")


class Description(Served):
    def test_the_description_is_what_the_server_does(self):
        self.send(0, 20)
        self.operate(kind="rename", category=0, name="wren")
        description = self.get("/v1/openapi.json")
        bodies = {"/v1/streams/{name}/samples": samples(20, 21),
                  "/v1/streams/{name}/operations": {"kind": "rename", "category": 1, "name": "tit"},
                  "/v1/streams/{name}": self.model,
                  "/v1/streams/{name}/support/embeddings": (TINY / "support.npy").read_bytes(),
                  "/v1/streams/{name}/support/labels": (TINY / "support_labels.npy").read_bytes()}
        for pattern, verbs in description["paths"].items():
            for verb, operation in verbs.items():
                name = "birds"
                if "support" in pattern or "calibrate" in pattern or (verb, pattern) == ("put", "/v1/streams/{name}"):
                    name = "made" if verb == "put" and pattern.endswith("}") else "fresh"
                if verb == "delete":
                    continue
                path = (pattern.replace("{name}", name).replace("{sequence}", "0").replace("{category}", "1")
                        .replace("{event}", "20").replace("{place}", "x"))
                if pattern.endswith("/events") or pattern.endswith("/picture") or pattern in ("/", "/s/{place}"):
                    continue
                body = bodies.get(pattern, {}) if "requestBody" in operation else None
                answer = self.server.call(verb.upper(), path, body)
                with self.subTest(verb=verb, path=path):
                    self.assertIn(str(answer.status), operation["responses"], answer.body)
                    unknown = self.server.call(verb.upper(), path + "?nonsense=1", body)
                    self.assertEqual(unknown.status, 400, unknown.body)
        self.assertEqual(self.server.wait_ready("fresh")["state"], "ready")

    def test_what_is_not_described_is_not_there(self):
        for method, path, status in (("GET", "/nowhere", 404), ("PATCH", S, 405), ("GET", "/v1/", 404),
                                     ("POST", "/healthz", 405)):
            answer = self.server.call(method, path)
            self.assertEqual((answer.status, set(answer.json["error"])),
                             (status, {"code", "message", "hint"}))
        self.assertEqual(self.get("/healthz"), {"status": "ok"})
        self.assertEqual(self.get("/readyz"), {"status": "ready"})
        metrics = self.server.get("/metrics").body.decode()
        self.assertIn('paco_samples{stream="birds"} 0', metrics)


if __name__ == "__main__":
    unittest.main()
