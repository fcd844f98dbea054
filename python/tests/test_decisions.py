"""Decisions as people use them: picked, put together, pickled, saved, and taken wherever decisions are taken."""

import copy
import json
import pickle

import numpy as np
import pytest

import pacodiscovery as paco
from pacodiscovery.errors import InputError, NotFoundError

COLUMNS = ["sequence", "category", "name", "sample", "verdict", "score", "threshold", "runner_up", "prototype", "counted",
           "categories_after"]


@pytest.fixture
def decisions(session, tiny):
    return session.decide_many(tiny.stream, ids=[f"bird {i}" if i % 2 else "" for i in range(len(tiny.stream))])


def same(one, other):
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name, values in one.evidence.items():
        np.testing.assert_array_equal(values, other.evidence[name], name)
    assert (one.method, one.classes, one.settings, one.fingerprint) == (other.method, other.classes, other.settings, other.fingerprint)
    return True


def test_samples_have_their_names_or_numbers(decisions, session, tiny):
    assert decisions.sample[:4].tolist() == ["0", "bird 1", "2", "bird 3"]
    assert decisions[3].sample == "bird 3" and decisions[2].sample == "2"
    assert decisions[3:1:-1].sample.tolist() == ["bird 3", "2"]
    assert session.decide(tiny.stream[0], id="again").sample == "again"
    assert paco.Session(session.model).decide_many(tiny.stream[:2]).sample.tolist() == ["0", "1"]


def test_masks_and_lists_of_numbers_pick_decisions(decisions):
    new = decisions[decisions.verdict == "created"]
    assert set(new.verdict) == {"created"} and new.sequence.tolist() == np.flatnonzero(decisions.verdict == "created").tolist()
    for places in ([5, -1, 5], np.array([5, -1, 5], dtype=np.int8), np.array([5, len(decisions) - 1, 5], dtype=np.uint64)):
        assert decisions[places].sequence.tolist() == [5, len(decisions) - 1, 5]
    assert len(decisions[[]]) == 0 and len(decisions[np.zeros(len(decisions), bool)]) == 0
    assert decisions[np.int64(3)].sequence == 3
    assert new.explain() == [decisions[int(i)].explain() for i in new.sequence]
    for bad in ([len(decisions)], [-len(decisions) - 1], np.ones(3, bool), [0.5], ["a"], (1, 2), np.ones((2, 2), int), "a", None, 1.5):
        with pytest.raises(IndexError):
            decisions[bad]


def test_parts_are_put_together_again(decisions, session, tiny):
    for whole in (decisions[:7] + decisions[7:], paco.concatenate([decisions[:7], decisions[7:9], decisions[9:]])):
        assert same(whole, decisions) and whole.explain() == decisions.explain()
    other = paco.Session(session.model).decide_many(tiny.stream[:3])
    both = decisions + other
    assert both.sequence.tolist() == [*range(len(decisions)), 0, 1, 2] and both[-1].sample == "2"
    with pytest.raises(InputError, match="without their session"):
        both.explain()
    with pytest.raises(InputError, match="no decisions to put together"):
        paco.concatenate([])
    with pytest.raises(TypeError):
        decisions + 1


def test_a_renamed_category_has_its_last_name(session, tiny):
    first = session.decide_many(tiny.stream[:100])
    session.rename(6, "heron")
    second = session.decide_many(tiny.stream[100:])
    whole = first + second
    assert set(whole.name[whole.category == 6]) == {"heron"} and "category 6" in first.name


def test_pickles_copies_and_files_have_everything_but_explanations(decisions, tmp_path):
    decisions.save(tmp_path / "run.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]
    for other in (pickle.loads(pickle.dumps(decisions)), copy.deepcopy(decisions), paco.load_decisions(tmp_path / "run.npz"),
                  pickle.loads(pickle.dumps(decisions[::-1]))[::-1]):
        assert same(other, decisions) and repr(other) == repr(decisions)
        with pytest.raises(InputError, match="session") as error:
            other.explain()
        assert error.value.hint
    one = pickle.loads(pickle.dumps(decisions[3]))
    assert (one.sample, one.name, one.evidence) == (decisions[3].sample, decisions[3].name, decisions[3].evidence)


def test_what_is_no_file_of_decisions_is_refused(decisions, tmp_path):
    with pytest.raises(NotFoundError):
        paco.load_decisions(tmp_path / "none.npz")
    columns, about = decisions._parts()
    broken = [dict(category=columns["category"][:5]), dict(verdict=np.full(len(decisions), 9)), dict(category=columns["category"] - 100),
              dict(category=columns["category"] + 100), dict(evidence=columns["evidence"][:, :3]),
              dict(evidence=np.full_like(columns["evidence"], 1e300)), dict(score=np.array("x")), dict(about="nothing")]
    for change in broken:
        np.savez(tmp_path / "bad.npz", **{**columns, "about": json.dumps(about), **change})
        with pytest.raises(InputError, match="no file of decisions|no decisions"):
            paco.load_decisions(tmp_path / "bad.npz")
    (tmp_path / "text.npz").write_text("nothing")
    np.save(tmp_path / "plain.npy", np.zeros(3))
    for name in ("text.npz", "plain.npy"):
        with pytest.raises(InputError, match=name):
            paco.load_decisions(tmp_path / name)
    with pytest.raises(OSError):
        decisions.save(tmp_path / "none" / "run.npz")


def test_lists_of_decisions_are_taken_like_decisions(decisions, model, tiny):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ones = list(decisions)
    assert paco.evaluate(tiny.truth, ones)["strict"] == paco.evaluate(tiny.truth, decisions)["strict"]
    assert paco.plots.categories(ones).lines[0].get_ydata().tolist() == decisions.categories_after.tolist()
    assert len(paco.plots.planes(ones, model)) == 2
    try:
        page = paco.report(decisions, model).page
    except InputError as error:
        assert "page" in error.message
    else:
        assert paco.report(ones, model).page == page
    with pytest.raises(InputError, match="no decisions"):
        paco.plots.categories([1, 2])


def test_an_evaluation_is_short_as_text_and_in_percent_as_a_table(decisions, tiny):
    result = paco.evaluate(tiny.truth, decisions)
    assert str(result).splitlines()[0] == "strict 74.5 / 86.0 / 66.2 (all / old / new)" and len(str(result).splitlines()) == 2
    assert len(result.text.splitlines()) > 10
    assert "74.5" in result._repr_html_() and "(%)" in result._repr_html_() and "0.745" not in result._repr_html_()
    assert result.tables["accuracy"].rows[0][result.tables["accuracy"].columns.index("accuracy")] == result["strict"]["all"]
