"""What must not end the interpreter: objects that nobody made, calls that are under way when the program ends."""

import subprocess
import sys

import numpy as np
import pytest

import pacodiscovery as paco
from pacodiscovery import _paco
from pacodiscovery.errors import InputError


@pytest.mark.parametrize("kind", [paco.Model, paco.Decision, paco.Decisions])
def test_what_only_calls_make_cannot_be_made_by_new(kind):
    for make in (kind.__new__, kind):
        with pytest.raises(TypeError, match="made by|No constructor"):
            make(*([kind] if make is kind.__new__ else []))
    with pytest.raises(TypeError):
        object.__new__(kind)


def test_a_session_that_was_never_started_says_so(tiny):
    class Forgetful(paco.Session):
        def __init__(self):
            pass

    for session in (paco.Session.__new__(paco.Session), _paco.Session.__new__(_paco.Session), Forgetful()):
        for use in (lambda: session.decide(tiny.stream[0]), lambda: session.samples, lambda: session.closed, session.close,
                    lambda: session._categories(True)):
            with pytest.raises(InputError, match="never started"):
                use()


def test_a_session_is_started_once(session, model):
    with pytest.raises(InputError, match="started already"):
        session.__init__(model)
    assert session.samples == 0


def test_a_session_in_memory_has_no_decisions_to_export(session, tiny, tmp_path):
    session.decide_many(tiny.stream[:10])
    with pytest.raises(InputError, match="in memory") as error:
        session.export(tmp_path / "decisions.csv")
    assert error.value.hint and not (tmp_path / "decisions.csv").exists()


@pytest.mark.parametrize("count", [1, 9, 11])
def test_a_report_wants_one_id_for_each_decision(session, model, tiny, count):
    decisions = session.decide_many(tiny.stream[:10])
    with pytest.raises(InputError, match=f"{count} ids for 10 decisions"):
        paco.report(decisions, model, ids=["x"] * count)


LEAVING = """
import sys, threading
import numpy as np
import pacodiscovery as paco
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 32)); y = np.arange(300) % 10
model = paco.calibrate(X + 3 * rng.normal(size=(10, 32))[y], y)
inside = threading.Barrier(4)
shared = paco.Session(model)
def work(session, call):
    session.decide(X[0])
    inside.wait()
    while True:
        call(session)
rows = np.broadcast_to(X[:1], (100_000, 32))
for session, call in ((paco.Session(model), lambda s: s.decide_many(rows)), (shared, lambda s: s.decide_many(rows)),
                      (shared, lambda s: s.decide(X[1]))):
    threading.Thread(target=work, args=(session, call), daemon=True).start()
inside.wait()
"""


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "import atexit; atexit.register(lambda: print(paco.Session(model).decide(X[0]).sequence))"])
def test_a_program_ends_while_daemon_threads_decide(end):
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", LEAVING + end], capture_output=True, text=True)
        assert run.returncode == 0 and run.stderr == "", run.stderr
        assert run.stdout == ("0\n" if "atexit" in end else "")


def test_a_program_ends_while_a_daemon_thread_calibrates():
    code = """
import threading
import numpy as np
import pacodiscovery as paco
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 64)); y = np.arange(3000) % 300
begun = threading.Event()
def work():
    begun.set()
    paco.calibrate(X, y, replays=1000)
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == "", run.stderr
