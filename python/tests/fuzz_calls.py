"""Calls at random: every function and method of the package with arguments that nobody would give. What may come out is an
answer or an exception in words; never the end of the interpreter, and never a broken session.

    PYTHONPATH=build/release/python python3 python/tests/fuzz_calls.py --seconds 600 --seed 1

test_fuzz.py runs some thousand of them in a process of their own.
"""

import argparse
import faulthandler
import os
import pathlib
import random
import sys
import tempfile
import time
import warnings

import numpy as np

import pacodiscovery as paco

# Python's own kinds for a wrong argument; every exception of the engine is a PacoError besides.
ALLOWED = (paco.PacoError, TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, OSError, StopIteration)
SKIPPED = {"close", "save", "export", "create", "open", "look", "load", "from_journal", "restore", "Client", "AsyncClient"}


class Surprise:
    """Raises in whatever is asked of it."""

    def __len__(self):
        raise ValueError("no length")

    def __iter__(self):
        raise ValueError("no items")

    def __array__(self, *_, **__):
        raise ValueError("no array")


def support(rng, classes=5, rows=8, dimension=6):
    y = np.repeat(np.arange(classes), rows)
    return rng.normal(size=(classes, dimension))[y] * 3 + rng.normal(size=(len(y), dimension)), y


class Calls:
    """Objects to call, and values to call them with."""

    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.folder = pathlib.Path(folder)
        self.made = 0
        self.X, self.y = support(self.rng)
        self.model = paco.calibrate(self.X, [f"c{i}" for i in self.y])
        self.renew()

    def renew(self):
        self.made += 1
        self.memory = paco.Session(self.model, embeddings=30)
        self.journal = paco.Session.create(self.folder / f"{self.made}.journal", self.model, durable=False)
        self.finder = paco.Discoverer().fit(self.X, self.y)
        self.decisions = self.journal.decide_many(self.X)
        self.memory.decide_many(self.X)

    def value(self, depth=0):
        r = self.random
        plain = [None, True, 0, 1, -1, 3, 5, 6, 2**31, 2**63, -2**63, 2**70, 0.5, float("nan"), float("inf"), "", "c1", "category 5",
                 "x" * 300, "\udcff", "ä\0b", b"\xff\xd8\xff", b"bytes", object(), Surprise(), len, int, {}, {"a": 1}, {0: 1.0},
                 [], (), [1, 2], ["a"], [None], slice(None), slice(5, 1, -2), Ellipsis, range(3), iter([1, 2])]
        rows = [self.X, self.X[0], self.X[:1], self.X[:0], self.X.T, self.X.astype("f2"), self.X.astype(">f4"), self.X.astype(complex),
                np.full((3, 6), np.nan), np.zeros((2, 6)), np.ones((2, 7)), np.ones((2, 2, 2)), np.array(3.0), np.array([]),
                np.ma.MaskedArray(self.X, self.X > 0), self.X.tolist(), [[1, 2], [3]], self.X.astype(object), np.array(["a", "b"]),
                np.broadcast_to(1.0, (4, 6)), self.X[::-2, ::-1], np.ones((2, 6), bool), self.y, self.y[:3], self.y.astype(float),
                np.zeros(3, "datetime64[s]"), np.zeros(2, [("a", "f8")])]
        things = [self.model, self.memory, self.journal, self.finder, self.decisions, self.decisions[:3], self.decisions[0],
                  list(self.decisions[:2]), paco.Session, paco.Decisions, self.model.thresholds]
        kind = r.random()
        if kind < 0.1 and depth < 2:
            return [self.value(depth + 1) for _ in range(r.randrange(4))]
        if kind < 0.15 and depth < 2:
            return {r.choice(["kind", "category", "into", "name", "samples", "x", 0]): self.value(depth + 1) for _ in range(r.randrange(4))}
        return r.choice(r.choice([plain, rows, things]))

    def target(self):
        r = self.random
        owner = r.choice([self.memory, self.journal, self.finder, self.decisions, self.decisions[0], self.model, paco, paco, paco.plots,
                          paco.HeldOutClasses(2)])
        names = [name for name in dir(owner) if (not name.startswith("_") or (owner is not paco and r.random() < 0.2)) and
                 name not in SKIPPED and not name.startswith("__")]
        return owner, r.choice(names)

    def step(self):
        """One call; says what it was."""
        owner, name = self.target()
        count = self.random.choice([0, 1, 1, 1, 2, 2, 3])
        arguments = [self.value() for _ in range(count)]
        label = f"{type(owner).__name__}.{name}({', '.join(type(a).__name__ for a in arguments)})"
        try:
            member = getattr(owner, name)
            out = member(*arguments) if callable(member) else member
            if hasattr(out, "__next__"):
                next(out, None)
            if self.random.random() < 0.05:
                repr(out)
        except ALLOWED:
            pass
        return label

    def check(self):
        """Sessions still decide as a new one would: nothing was broken on the way."""
        for session in (self.memory, self.journal):
            if session.closed:
                continue
            before, samples = session.digest(), session.samples
            assert session.copy().digest() == before and session.samples == samples
            session.decide(self.X[0])
            assert session.samples == samples + 1
        path = self.journal.path
        self.journal.close()
        assert paco.replay(path).equal


def main():
    parser = argparse.ArgumentParser(description="calls everything with anything")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=0, help="0: until the time is over")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    end = time.monotonic() + options.seconds
    done, seed, last = 0, options.seed, "nothing"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # some calls write files
        while (done < options.calls) if options.calls else (time.monotonic() < end):
            calls = Calls(seed, tempfile.mkdtemp(dir=folder))
            try:
                for _ in range(300):
                    last = calls.step()
                    done += 1
                calls.check()
                if "matplotlib.pyplot" in sys.modules:
                    sys.modules["matplotlib.pyplot"].close("all")
            except BaseException:
                print(f"seed {seed}, after {done} calls, last {last}", file=sys.stderr)
                raise
            seed += 1
    print(f"{done} calls")


if __name__ == "__main__":
    main()
