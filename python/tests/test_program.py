"""Python and the command line decide alike, sample by sample and number by number, and read each other's files."""

import csv
import os
import subprocess

import numpy as np
import pytest

import pacodiscovery as paco
from conftest import GOLDEN, METHODS, recorded, shared_data, short_training


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True)


def same_as_program(case, program, folder, method="paco", **options):
    support = ["--support", case.folder / "support.npy", "--labels", case.folder / "support_labels.npy"]
    if case.classifier is not None:
        support += ["--classifier", case.folder / "classifier.npy"]
    settings = [text for name, value in options.items() for text in ("--set", f"{name}={value}")]
    run(program, "calibrate", *support, "--method", method, *settings, "--out", folder / "model.paco")
    run(program, "discover", "--model", folder / "model.paco", "--input", case.folder / "stream.npy", "--out",
        folder / "decisions.csv")
    model = paco.calibrate(case.support, case.labels, classifier=case.classifier, method=method, **options)
    assert model.fingerprint == paco.load_model(folder / "model.paco").fingerprint
    decisions = paco.Session(model).decide_many(case.stream)
    evidence = decisions.evidence
    with open(folder / "decisions.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(decisions)
    for column, text in rows[0].items():
        if column in ("sample",):
            continue
        ours = evidence[column] if column in evidence else getattr(decisions, column)
        theirs = [row[column] for row in rows]
        if ours.dtype.kind == "f":
            numbers = np.array([float(x) if x else np.nan for x in theirs])
            assert np.array_equal(ours, numbers, equal_nan=True), column
        else:
            assert [str(x) for x in ours.tolist()] == theirs, column
    return decisions


@pytest.mark.parametrize("name", GOLDEN)
def test_recorded_sets_are_decided_like_the_program_does(program, tmp_path, name):
    same_as_program(recorded(name), program, tmp_path)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_decides_like_the_program_does(program, tmp_path, method):
    same_as_program(recorded("tiny"), program, tmp_path, method, **short_training(method))


@pytest.mark.parametrize("name", ["cub-finetuned", "cub-frozen"])
def test_real_birds_are_decided_like_the_program_does(program, tmp_path, name):
    case = shared_data(name)
    decisions = same_as_program(case, program, tmp_path)
    assert decisions.category.tolist() == case.expected.tolist()


def test_a_journal_of_the_program_goes_on_in_python_and_back(program, tiny, tmp_path, model):
    journal, half = tmp_path / "birds.journal", tmp_path / "half.npy"
    np.save(half, tiny.stream[:100])
    model.save(tmp_path / "model.paco")
    run(program, "discover", "--model", tmp_path / "model.paco", "--input", half, "--journal", journal, "--out",
        tmp_path / "first.npy")
    with paco.Session.open(journal) as session:
        assert session.samples == 100
        session.decide_many(tiny.stream[100:])
        session.rename(6, "heron")
    run(program, "replay", journal)
    run(program, "journal", "verify", journal)
    run(program, "category", "rename", "--journal", journal, "6", "egret")
    with paco.Session.look(journal) as session:
        assert [d.kind for d in session.history()] == ["rename", "rename"]
        assert session.decision(len(tiny.stream) - 1).category == tiny.expected[-1]


def test_names_of_any_script_come_through_and_ids_may_be_any_bytes(program, tiny, tmp_path):
    names = ["café", "鷺", "c", "d", "e", "f"]
    (tmp_path / "labels.txt").write_text("".join(names[i] + "\n" for i in tiny.labels), encoding="utf-8")
    run(program, "calibrate", "--support", tiny.folder / "support.npy", "--labels", tmp_path / "labels.txt", "--out",
        tmp_path / "model.paco")
    model = paco.load_model(tmp_path / "model.paco")
    assert sorted(model.class_names) == sorted(names)
    odd = os.fsdecode(b"caf\xe9.jpg")
    decisions = paco.Session(model).decide_many(tiny.stream, ids=[odd] * len(tiny.stream))
    rows = [d for d in decisions if d.name == "café"]
    assert rows and all("café" in d.explain() and "café" in repr(d) and d.sample == odd for d in rows)


def test_a_state_of_python_is_resumed_by_the_program(program, tiny, tmp_path, model):
    model.save(tmp_path / "model.paco")
    session = paco.Session(model)
    session.decide_many(tiny.stream[:100])
    session.save(tmp_path / "state.paco")
    np.save(tmp_path / "rest.npy", tiny.stream[100:])
    run(program, "discover", "--model", tmp_path / "model.paco", "--resume", tmp_path / "state.paco", "--input",
        tmp_path / "rest.npy", "--out", tmp_path / "rest_decisions.npy")
    assert np.load(tmp_path / "rest_decisions.npy").tolist() == tiny.expected[100:].tolist()
