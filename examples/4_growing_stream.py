"""A stream that lives in a journal: it is stopped and goes on, people name and correct what it finds, and all of it can be
taken back and proved.

    PYTHONPATH=build/release/python python3 examples/4_growing_stream.py
"""

import pathlib
import tempfile

import numpy as np

import pacodiscovery as paco

rng = np.random.default_rng(1)
centres = rng.normal(size=(8, 32))  # eight kinds; the first five are known


def arrive(kind):
    return centres[kind] + 0.7 * rng.normal(size=32)


birds = ["crow", "jay", "magpie", "rook", "wren"]
model = paco.calibrate([arrive(i % 5) for i in range(100)], [birds[i % 5] for i in range(100)])

with tempfile.TemporaryDirectory() as folder:
    journal = pathlib.Path(folder) / "birds.journal"

    with paco.Session.create(journal, model) as session:
        for i, kind in enumerate(rng.integers(0, 8, 80)):
            session.decide(arrive(kind), key=f"photo {i}")
        print(session)
        for category in session.categories():
            if category.kind == "discovered":
                print(f"  {category.name}: {category.size} samples, since sample {category.birth}")

    # Another day, another process: it goes on where it was. A photo that is sent again gets the answer it had.
    with paco.Session.open(journal) as session:
        again = session.decide(arrive(0), key="photo 3")
        print(f"photo 3 is sample {again.sequence}, {again.name}")
        found = [c.id for c in session.categories() if c.kind == "discovered"]
        named = session.rename(found[0], "heron", actor="ann")
        print(named.text)
        merged = session.merge(found[1:2], into=found[0], actor="bob")
        print(merged.text)
        print(session.undo(merged).text)
        session.promote(found[0])
        decisions = session.decide_many([arrive(kind) for kind in rng.integers(0, 8, 200)])
        print(decisions)

    replayed = paco.replay(journal)
    print(f"{replayed.samples} samples and {replayed.operations} operations decided anew, equal: {replayed.equal}")
