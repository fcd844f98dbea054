"""The stream itself: decisions, journal, operations, undo, replay; and what must not be possible."""

import copy
import json
import os
import pickle
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

import pacodiscovery as paco
from conftest import GOLDEN, recorded
from pacodiscovery.errors import ClosedError, DiskError, InputError, NotFoundError


def test_one_by_one_in_blocks_and_as_a_stream_are_the_same_decisions(model, tiny):
    many = paco.Session(model).decide_many(tiny.stream)
    session = paco.Session(model)
    for i, row in enumerate(tiny.stream):
        one = session.decide(row)
        assert (one.sequence, one.category, one.verdict, one.name) == (
            many.sequence[i], many.category[i], many.verdict[i], many[i].name)
        assert one.evidence == many[i].evidence and one.explain() == many[i].explain()
    for block in (1, 7, 256):
        again = paco.Session(model).stream((row for row in tiny.stream), block)
        assert [d.category for d in again] == many.category.tolist()
    mixed = paco.Session(model).stream([tiny.stream[0], tiny.stream[1:50], *tiny.stream[50:]], 16)
    assert [d.category for d in mixed] == many.category.tolist()


def test_a_decision_says_what_a_person_needs(model, tiny):
    decision = paco.Session(model).decide(tiny.stream[0])
    assert decision.verdict in ("known", "existing", "created")
    assert decision.evidence["branch"] in ("known_only", "explained", "attach", "create")
    assert decision.name == (model.class_names + ["category 6"])[decision.category]
    assert len(decision.explain()) > 20 and decision.name in repr(decision)
    assert decision.threshold is None or isinstance(decision.threshold, float)


def test_columns_are_views_that_outlive_the_session_and_cannot_be_written(model, tiny):
    with paco.Session(model) as session:
        decisions = session.decide_many(tiny.stream)
    category = decisions.category
    some = decisions[5:1:-2]
    assert [d.sequence for d in some] == [5, 3] and some.name.tolist() == decisions.name[[5, 3]].tolist()
    explained = decisions.explain()
    assert decisions[-1].explain() == explained[-1]
    del decisions, session
    assert category.tolist() == tiny.expected.tolist()
    with pytest.raises(ValueError):
        category[0] = 1
    with pytest.raises(IndexError):
        some[2]


@pytest.mark.parametrize("name", GOLDEN)
def test_recorded_streams_are_decided_as_recorded(name):
    case = recorded(name)
    expected = json.loads((case.folder / "expected.json").read_text())
    o = expected["options"]
    options = {"temperature": o["T"], "alpha": o["alpha"], "beta": o["beta"], "spread": o["c_spread"],
               "replays": o["replays"], "seed": expected["seed"], "tie": o["tie"], "routing": o["routing"],
               "adaptive_birth": o["dyn"], "epsilon": o["eps"]}
    model = paco.calibrate(case.support, case.labels, classifier=case.classifier, **options)
    assert paco.Session(model).decide_many(case.stream).category.tolist() == case.expected.tolist()


def test_a_key_is_answered_with_the_decision_it_had(session, tiny):
    keys = [f"img {i}" for i in range(20)]
    first = session.decide_many(tiny.stream[:20], keys=keys)
    again = session.decide_many(tiny.stream[:20], keys=keys)
    assert again.repeated == 20 and session.samples == 20
    assert again.sequence.tolist() == first.sequence.tolist()
    assert session.decide(tiny.stream[3], key="img 3").sequence == 3
    with pytest.raises(InputError, match="2 keys for 3 samples"):
        session.decide_many(tiny.stream[:3], keys=["a", "b"])


def test_a_journal_goes_on_where_it_ended_and_replays(model, tiny, tmp_path):
    path = tmp_path / "birds.journal"
    with paco.Session.create(path, model) as session:
        session.decide_many(tiny.stream[:100], ids=[f"bird {i}" for i in range(100)])
    with paco.Session.open(path) as session:
        assert session.samples == 100 and session.path == str(path)
        session.decide_many(tiny.stream[100:])
        assert session.decision(5).category == tiny.expected[5]
        assert session.decision(10**6) is None
        session.export(tmp_path / "decisions.npy")
        digest = session.digest()
    assert np.load(tmp_path / "decisions.npy").tolist() == tiny.expected.tolist()
    replayed = paco.replay(path)
    assert replayed.equal and replayed.samples == len(tiny.stream) and replayed.digest == digest
    assert paco.replay(path, until=10).samples == 10
    assert paco.replay(path, method="closed").differences > 0
    with sqlite3.connect(path) as database:
        assert database.execute("select count(*) from decisions").fetchone() == (len(tiny.stream),)


def test_operations_change_what_is_answered_and_are_undone(model, tiny, tmp_path):
    session = paco.Session.create(tmp_path / "a.journal", model)
    session.decide_many(tiny.stream)
    before = session.digest()
    new = [c for c in session.categories() if c.kind == "discovered"]
    renamed = session.rename(new[0].id, "heron", actor="ann")
    assert renamed.kind == "rename" and renamed.actor == "ann" and "heron" in renamed.text
    merged = session.merge([new[1].id], into=new[0].id)
    names = {c.id: c.name for c in session.categories()}
    assert names[new[0].id] == "heron" and new[1].id not in names
    assert {c.id: c.now for c in session.categories(merged=True)}[new[1].id] == new[0].id
    with pytest.raises(InputError) as error:
        session.rename(0, "heron")
    assert error.value.hint
    with pytest.raises(NotFoundError, match="no category 999"):
        session.retire(999)
    session.undo(merged)
    session.undo(renamed.event)
    assert session.digest() == before
    moved = session.move([0, 1], name="odd ones")
    promoted = session.promote(new[0].id, "egret")
    retired = session.retire(new[2].id)
    session.revive(new[2].id)
    session.demote(new[0].id)
    assert [o.kind for o in session.history()] == [
        "rename", "merge", "undo", "undo", "move", "promote", "retire", "revive", "demote"]
    assert moved.category is not None and promoted.event < retired.event
    session.close()
    assert paco.replay(tmp_path / "a.journal").equal


@pytest.mark.parametrize("method", ["paco", "mirror"])
def test_a_half_that_was_moved_away_is_suggested_for_merging(method, tiny, tmp_path):
    model = paco.calibrate(tiny.support, tiny.labels, method=method)
    with paco.Session.create(tmp_path / "a.journal", model) as session:
        decisions = session.decide_many(tiny.stream)
        assert not [s for s in session.suggestions() if s.kind == "merge"]
        largest = max((c for c in session.categories() if c.kind == "discovered"), key=lambda c: c.answered)
        members = np.flatnonzero(decisions.category == largest.id)
        moved = session.move(members[: len(members) // 2])
        suggested = session.suggestions()
        kinds = [s.kind for s in suggested]
        assert kinds == sorted(kinds, key=["merge", "name", "look"].index)
        for kind in set(kinds):
            strengths = [s.strength for s in suggested if s.kind == kind]
            assert strengths == sorted(strengths, reverse=True)
        merge, = [s for s in suggested if s.kind == "merge"]
        assert set(merge.categories) == {largest.id, moved.category} and "as like each other" in merge.reason
        session.apply(merge.operation)
        assert not [s for s in session.suggestions() if s.kind == "merge"]
        look = [s for s in suggested if s.kind == "look"]
        assert len(look) == 10 and all(s.operation is None and len(s.samples) == 1 for s in look)
    in_memory = paco.Session(model)
    in_memory.decide_many(tiny.stream)
    assert {s.kind for s in in_memory.suggestions()} <= {"merge", "name"}


def test_numpy_numbers_are_numbers_to_operations(session, tiny):
    decisions = session.decide_many(tiny.stream)
    new = np.unique(decisions.category[decisions.category >= 6])
    session.rename(new[0], "wren")
    session.merge(new[1:2], into=new[0])
    assert session.decide_many(tiny.stream).name.tolist().count("wren") > 0
    with pytest.raises(InputError, match="numbers and text"):
        session.apply({"kind": "rename", "category": object(), "name": "x"})
    for bad in (1.5, "6", None, True):
        with pytest.raises(InputError, match="wrong type"):
            session.rename(bad, "x")
    with pytest.raises(InputError, match="UTF-8"):
        session.rename(new[0], "\udcff")
    with pytest.raises(InputError, match="no operation 'fold'"):
        session.apply({"kind": "fold"})


def test_after_close_there_is_an_exception_and_explanations_remain(model, tiny):
    session = paco.Session(model)
    decision = session.decide(tiny.stream[0])
    session.close()
    session.close()
    assert session.closed and session.samples == 1 and "closed" in repr(session)
    for call in (lambda: session.decide(tiny.stream[0]), lambda: session.decide_many(tiny.stream),
                 lambda: session.rename(0, "x"), session.digest, session.copy, session.checkpoint,
                 lambda: session.events, session.history):
        with pytest.raises(ClosedError, match="closed"):
            call()
    assert decision.explain()


def test_two_writers_on_one_journal_are_refused_and_a_reader_is_not(model, tiny, tmp_path):
    path = tmp_path / "one.journal"
    with paco.Session.create(path, model) as session:
        session.decide_many(tiny.stream[:30])
        with pytest.raises(paco.PacoError) as error:
            paco.Session.open(path)
        assert error.value.hint
        with pytest.raises(paco.PacoError):
            paco.Session.create(path, model)
        with paco.Session.look(path) as reader:
            assert reader.samples == 30
            with pytest.raises(InputError, match="look"):
                reader.decide(tiny.stream[0])
        session.decide_many(tiny.stream[30:40])
    with pytest.raises(NotFoundError) as missing:
        paco.Session.open(tmp_path / "none.journal")
    assert isinstance(missing.value, FileNotFoundError)


def test_a_copy_and_a_pickle_go_their_own_ways(model, tiny):
    session = paco.Session(model, alpha=1e5)
    session.decide_many(tiny.stream[:100])
    for other in (session.copy(), copy.deepcopy(session), pickle.loads(pickle.dumps(session))):
        assert other.digest() == session.digest() and other._settings() == session._settings()
        other.decide(tiny.stream[100])
        assert other.samples == 101 and session.samples == 100
    assert pickle.loads(pickle.dumps(model)).fingerprint == model.fingerprint


def test_a_session_with_a_journal_is_not_pickled(model, tmp_path):
    with paco.Session.create(tmp_path / "a.journal", model) as session:
        with pytest.raises(TypeError, match="hint"):
            pickle.dumps(session)


def test_a_state_is_saved_and_restored(model, tiny, tmp_path):
    session = paco.Session(model)
    session.decide_many(tiny.stream[:100])
    session.save(tmp_path / "state.paco")
    other = paco.Session(model)
    other.restore(tmp_path / "state.paco")
    assert other.decide_many(tiny.stream[100:]).category.tolist() == tiny.expected[100:].tolist()
    with pytest.raises(InputError, match="already decided"):
        other.restore(tmp_path / "state.paco")
    with pytest.raises(NotFoundError):
        paco.Session(model).restore(tmp_path / "none.paco")
    (tmp_path / "bad.paco").write_bytes(b"nothing")
    with pytest.raises(InputError, match="bad.paco"):
        paco.Session(model).restore(tmp_path / "bad.paco")
    with pytest.raises(DiskError):
        session.save(tmp_path)


def in_child(work):
    """What `work` returns in a forked process, or the name of what it raised."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = work()
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
        os.write(write, str(result).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


def test_a_fork_has_a_copy_of_a_session_in_memory(session, tiny):
    session.decide_many(tiny.stream[:50])
    expected = str(int(tiny.expected[50]))
    assert in_child(lambda: session.decide(tiny.stream[50]).category) == expected
    assert str(session.decide(tiny.stream[50]).category) == expected


def test_a_fork_is_told_that_a_journal_or_threads_are_not_its_own(model, tiny, tmp_path):
    with paco.Session.create(tmp_path / "a.journal", model) as kept, paco.Session(model, threads=2) as threaded:
        kept.decide_many(tiny.stream[:10])
        for session in (kept, threaded):
            told = in_child(lambda: session.decide(tiny.stream[10]))
            assert told.startswith("InputError") and "process" in told and "hint" in told
            assert in_child(lambda: session.close()).startswith("InputError")
        kept.decide_many(tiny.stream[10:20])
    assert paco.replay(tmp_path / "a.journal").samples == 20


def test_threads_share_a_session_and_two_sessions_run_side_by_side(model, tiny):
    shared = paco.Session(model)
    apart = [paco.Session(model) for _ in range(3)]
    results = []
    work = [threading.Thread(target=lambda: [shared.decide(row) for row in tiny.stream]) for _ in range(3)]
    work += [threading.Thread(target=lambda s=s: results.append(s.decide_many(tiny.stream).category.tolist())) for s in apart]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert shared.samples == 3 * len(tiny.stream)
    assert results == [tiny.expected.tolist()] * 3


# Ctrl-C again and again until the handler finds the call in its middle, whenever that is.
PRESSING = """
import signal, threading
import numpy as np
import pacodiscovery as paco
rng = np.random.default_rng(0)
done = threading.Event()
def press():
    while not done.wait(0.02):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
def handler(number, frame):
    if not done.is_set() and inside(frame):
        done.set()
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
"""

DECIDING = PRESSING + """
def inside(frame):
    try:
        session.samples
    except paco.PacoError as error:
        return "in the middle of a call" in error.message
X = rng.normal(size=(400, 64)); y = np.arange(400) % 20
model = paco.calibrate(X + 3 * rng.normal(size=(20, 64))[y], y)
session = paco.Session(model)
rows = np.broadcast_to(rng.normal(size=(1, 64)), (1_000_000, 64))  # much work in little memory
threading.Thread(target=press).start()
try:
    session.decide_many(rows)
except KeyboardInterrupt as stopped:
    made = len(stopped.decisions)
    assert made == session.samples and 0 < made < len(rows), made
    session.decide(rows[0])
    print("stopped")
"""

CALIBRATING = PRESSING + """
def inside(frame):
    return frame.f_code.co_filename.endswith("calibration.py")
X = rng.normal(size=(4000, 64)); y = np.arange(4000) % 400
threading.Thread(target=press).start()
try:
    paco.calibrate(X, y, replays=1000)
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize("code", [DECIDING, CALIBRATING], ids=["deciding", "calibrating"])
def test_ctrl_c_ends_a_long_call(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "stopped\n", run.stderr


def test_wrong_options_are_named(model, tiny):
    with pytest.raises(InputError, match="beta"):
        paco.Session(model, beta=-1)
    with pytest.raises(InputError, match="nothing_like_it"):
        paco.calibrate(tiny.support, tiny.labels, nothing_like_it=1)
    with pytest.raises(InputError, match="no method|nobody"):
        paco.Session(model, "nobody")
    with pytest.raises(TypeError, match="Model"):
        paco.Session("model.paco")
    with pytest.raises(InputError, match="reference"):
        paco.calibrate(tiny.support, tiny.labels, reference="best")
    with pytest.raises(InputError, match="embeddings is -1"):
        paco.Session.create("never.journal", model, embeddings=-1)


def test_hints_are_calls_and_no_words_of_the_command_line(model, session, tiny):
    session.decide_many(tiny.stream)
    hints = []
    for call in (lambda: session.move([0], into=6), lambda: session.decision(0), lambda: paco.Session(model, "rankstat"), session.checkpoint,
                 lambda: paco.calibrate(tiny.support, tiny.labels, reference="classifier"), lambda: session.undo(99)):
        try:
            call()
        except paco.PacoError as error:
            hints.append(str(error))
    assert len(hints) >= 4 and not [hint for hint in hints if "--" in hint or "'paco " in hint], hints
    assert any("Session.create(path, model)" in hint for hint in hints)
    from pacodiscovery.errors import in_python

    assert in_python("give --classifier, or '--set prior=on'; 'paco journal verify --x' helps") == (
        "give classifier, or prior=on; 'paco journal verify --x' helps")
