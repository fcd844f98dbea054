"""fit, predict, learn_one and labels of every type."""

import pickle
import types

import numpy as np
import pytest

import pacodiscovery as paco
from conftest import METHODS, short_training
from pacodiscovery.errors import InputError, NotFittedError


@pytest.fixture
def finder(tiny):
    return paco.Discoverer().fit(tiny.support, tiny.labels)


def test_predict_learns_nothing_and_partial_predict_goes_on(finder, tiny):
    before = finder.session_.digest()
    first = finder.predict(tiny.stream)
    assert finder.predict(tiny.stream).tolist() == first.tolist()
    assert finder.session_.digest() == before and finder.session_.samples == 0
    half = len(tiny.stream) // 2
    again = [*finder.partial_predict(tiny.stream[:half]), *finder.partial_predict(tiny.stream[half:])]
    assert again == first.tolist() == tiny.expected.tolist()
    assert finder.session_.samples == len(tiny.stream)


@pytest.mark.parametrize("labels", [
    np.array(["wren", "jay", "rook", "crow", "tit", "robin"]),
    np.array(["wren", "jay", "rook", "crow", "tit", "robin"], dtype=object),
    np.array([40, 10, 30, 20, 60, 50]),
    np.array([40, 10, 30, 20, 60, 50], dtype=np.uint8),
    np.array([4.0, 1.0, 3.0, 2.0, 6.0, 5.0]),
    np.array([b"wren", b"jay", b"rook", b"crow", b"tit", b"robin"]),
])
def test_labels_come_back_as_they_were_given(tiny, labels):
    finder = paco.Discoverer().fit(tiny.support, labels[tiny.labels])
    assert finder.classes_.tolist() == sorted(labels.tolist())
    found = finder.predict(tiny.stream)
    known = np.isin(found, labels)
    # The same stream, whatever the classes are called: who is known and which belong together.
    assert known.tolist() == (tiny.expected < 6).tolist()
    assert found[known].tolist() == labels[tiny.expected[known]].tolist()
    new = {a: b for a, b in zip(tiny.expected[~known].tolist(), found[~known].tolist())}
    assert len(set(new.values())) == len(new) and [new[c] for c in tiny.expected[~known].tolist()] == found[~known].tolist()
    if labels.dtype.kind in "iuf":
        assert min(new.values()) == labels.max() + 1
    elif labels.dtype.kind in "UO":
        assert sorted(new.values())[0] == "category 6" and all(isinstance(x, str) for x in found)


def test_lists_and_tuples_of_labels_do(tiny):
    names = ["a", "b", "c", "d", "e", "f"]
    finder = paco.Discoverer().fit(tiny.support.tolist(), tuple(names[i] for i in tiny.labels))
    assert finder.label(0) == "a" and finder.model_.class_names == names
    assert finder.predict_one(tiny.support[0]) in names


def test_what_is_discovered_has_the_name_that_people_give_it(tiny):
    finder = paco.Discoverer().fit(tiny.support, np.array(["a", "b", "c", "d", "e", "f"])[tiny.labels])
    finder.decide_many(tiny.stream)
    finder.session_.rename(6, "heron")
    assert "heron" in finder.predict(tiny.stream) and finder.label(6) == "heron"
    assert "heron" in [category.name for category in finder.categories_]


def test_the_manners_of_river(finder, tiny):
    stream = [dict(enumerate(row.tolist())) for row in tiny.stream]
    guessed = []
    for x in stream[:60]:
        guessed.append(finder.predict_one(x))
        assert finder.learn_one(x) is finder
    assert guessed == tiny.expected[:60].tolist()
    decisions = finder.stream(row for row in tiny.stream[60:])
    assert isinstance(decisions, types.GeneratorType)
    assert [d.category for d in decisions] == tiny.expected[60:].tolist()


def test_parameters_are_those_of_the_method(tiny):
    finder = paco.Discoverer(temperature=0.5, routing=False)
    assert finder.get_params() == {"method": "paco", "classifier": None, "reference": "auto", "threads": 1, "n_jobs": None,
                                   "random_state": None, "confidence": False, "encoder": None, "journal": None, "routing": False,
                                   "temperature": 0.5}
    assert repr(finder) == "Discoverer(routing=False, temperature=0.5)"
    assert paco.Discoverer(**finder.get_params()).get_params() == finder.get_params()
    finder.fit(tiny.support, tiny.labels)
    assert finder.model_._section("paco")["settings"]["temperature"] == "0.5"
    with pytest.raises(TypeError, match="temprature.*\n.*temperature"):
        paco.Discoverer(temprature=0.5)
    with pytest.raises(InputError, match="temprature"):
        finder.set_params(temprature=0.5)
    with pytest.raises(InputError, match="routing|hint"):
        paco.Discoverer("leader", routing=False).fit(tiny.support, tiny.labels)


@pytest.mark.filterwarnings("ignore::pacodiscovery.NothingFoundWarning")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_fits_and_predicts(tiny, method):
    finder = paco.Discoverer(method, **short_training(method)).fit(tiny.support, tiny.labels)
    assert len(finder.predict(tiny.stream)) == len(tiny.stream)
    assert finder.decide(tiny.stream[0]).explain()


def test_a_fitted_one_is_pickled_with_its_stream(finder, tiny):
    finder.partial_predict(tiny.stream[:100])
    other = pickle.loads(pickle.dumps(finder))
    assert other.partial_predict(tiny.stream[100:]).tolist() == tiny.expected[100:].tolist()
    assert finder.session_.samples == 100


def test_before_fit_there_is_an_exception(tiny):
    finder = paco.Discoverer()
    for call in (lambda: finder.predict(tiny.stream), lambda: finder.decide(tiny.stream[0]), lambda: finder.categories_,
                 lambda: finder.thresholds_, lambda: finder.learn_one(tiny.stream[0])):
        with pytest.raises(NotFittedError, match="not fitted"):
            call()
    assert not hasattr(finder, "classes_")


@pytest.mark.parametrize("y, words", [
    (None, "target y is None"), ([0, 1], "rows and y has 2"), (np.zeros((246, 2)), "1d array"),
    ([0.5] * 246, "continuous"), ([float("nan")] * 246, "NaN"), ([0] * 246, "class"),
])
def test_labels_that_are_none_are_refused(tiny, y, words):
    support = np.resize(tiny.support, (246, 16))
    with pytest.raises(InputError, match=words) as error:
        paco.Discoverer().fit(support, y)
    assert error.value.hint


def test_mixed_labels_in_an_object_array_are_refused(tiny):
    mixed = np.array([1, "a"] * len(tiny.support), dtype=object)[:len(tiny.support)]
    with pytest.raises(InputError, match="different types"):
        paco.Discoverer().fit(tiny.support, mixed)


def test_score_is_the_strict_accuracy(finder, tiny):
    assert finder.score(tiny.stream, tiny.truth) == pytest.approx(
        paco.evaluate(tiny.truth, finder.decide_many(tiny.stream))["strict"]["all"])


def test_columns_of_a_table_must_be_those_of_the_support_set(tiny):
    pandas = pytest.importorskip("pandas")
    names = [f"x{i}" for i in range(16)]
    finder = paco.Discoverer().fit(pandas.DataFrame(tiny.support, columns=names), tiny.labels)
    assert finder.predict(pandas.DataFrame(tiny.stream, columns=names)).tolist() == tiny.expected.tolist()
    with pytest.raises(InputError, match="feature names"):
        finder.predict(pandas.DataFrame(tiny.stream, columns=names[::-1]))


def test_notebooks_show_it(finder, tiny):
    decisions = finder.decide_many(tiny.stream)
    for thing in (finder, finder.model_, finder.session_, decisions, paco.Discoverer(), paco.evaluate(tiny.truth, decisions)):
        assert "<" in thing._repr_html_()
