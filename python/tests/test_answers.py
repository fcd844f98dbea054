"""No wrong answer in silence: labels, columns, masks and models that do not fit are matched by what they mean, or refused."""

import numpy as np
import pytest

import pacodiscovery as paco
from pacodiscovery.errors import InputError

KINDS = ["strict", "greedy"]


@pytest.fixture(scope="module")
def expected(tiny):
    return paco.evaluate(tiny.truth, tiny.expected, known=6, resamples=0)


def decided(tiny, labels):
    model = paco.calibrate(tiny.support, labels[tiny.labels])
    return paco.Session(model).decide_many(tiny.stream)


@pytest.mark.parametrize("labels", [
    np.arange(10), np.arange(1, 11), np.arange(1, 11) * 10, np.arange(1.0, 11.0), np.arange(10) - 3,
    np.arange(10, dtype=np.uint64) + np.uint64(2**40), np.array([f"class {i:02}" for i in range(10)]),
], ids=["from 0", "from 1", "tens", "floats", "negative", "uint64", "names"])
def test_truth_is_compared_by_label_wherever_labels_begin(tiny, expected, labels):
    result = paco.evaluate(labels[tiny.truth], decided(tiny, labels), resamples=0)
    assert [result[kind] for kind in KINDS] == [expected[kind] for kind in KINDS]
    assert result["known_accuracy"] == expected["known_accuracy"]


def test_truth_may_be_floats_or_objects_with_gaps(tiny, expected):
    labels = np.arange(1, 11)
    decisions = decided(tiny, labels)
    truth = labels[tiny.truth].astype(float)
    some = np.arange(len(truth)) % 3 == 0
    reference = paco.evaluate(np.where(some, -1, tiny.truth), tiny.expected, known=6, resamples=0)
    gaps = [np.where(some, np.nan, truth), np.ma.MaskedArray(truth, some),
            np.array([None if gap else int(x) for gap, x in zip(some, truth)], dtype=object)]
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(labels[tiny.truth]).astype("Int64")
    column[some] = pandas.NA
    for given in [*gaps, column, pandas.Series(gaps[0])]:
        result = paco.evaluate(given, decisions, resamples=0)
        assert result["strict"] == reference["strict"] and result["coverage"] == reference["coverage"]


def test_numbers_stand_for_classes_that_have_names(tiny, expected):
    names = np.array(["crow", "jay", "magpie", "rook", "tit", "wren"])
    assert paco.evaluate(tiny.truth, decided(tiny, names), resamples=0)["strict"] == expected["strict"]


def test_the_order_of_classes_beside_decisions_does_not_matter_and_others_are_refused(tiny, expected):
    names = np.array([f"class {i:02}" for i in range(10)])
    decisions = decided(tiny, names)
    result = paco.evaluate(names[tiny.truth], decisions, classes=names[:6][::-1], resamples=0)
    assert result["known_accuracy"] == expected["known_accuracy"] > 0.5
    with pytest.raises(InputError, match="not those of the model"):
        paco.evaluate(names[tiny.truth], decisions, classes=names[:5])


def test_predicted_labels_are_evaluated_with_their_classes(tiny, expected):
    for labels in (np.arange(1, 11), np.array([f"class {i:02}" for i in range(10)])):
        finder = paco.Discoverer().fit(tiny.support, labels[tiny.labels])
        predicted = finder.predict(tiny.stream)
        for given in (predicted, predicted.tolist()):
            result = paco.evaluate(labels[tiny.truth], given, classes=finder.classes_, resamples=0)
            assert result["strict"] == expected["strict"] and result["known_accuracy"] == expected["known_accuracy"]
        with pytest.raises(InputError, match="hint"):
            paco.evaluate(labels[tiny.truth], tiny.expected, classes=finder.classes_)  # ids are no labels


def test_the_truth_comes_first(tiny):
    decisions = decided(tiny, np.arange(10))
    with pytest.raises(InputError, match="the truth"):
        paco.evaluate(decisions, tiny.truth)
    assert paco.evaluate(tiny.truth, list(decisions), resamples=0) == paco.evaluate(tiny.truth, decisions, resamples=0)


def test_the_report_and_the_curve_take_truth_by_label(tiny):
    labels = np.arange(1, 11)
    decisions = decided(tiny, labels)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from pacodiscovery import plots

    met = plots.categories(decisions, labels[tiny.truth].astype(float)).lines[1].get_ydata()
    assert met[-1] == len(np.unique(tiny.truth[tiny.truth >= 6]))
    with pytest.raises(InputError, match="3 true classes"):
        plots.categories(decisions, labels[:3])


def test_names_of_classes_are_distinct(tiny):
    with pytest.raises(InputError, match="both called 'a'"):
        paco.calibrate(tiny.support, tiny.labels, class_names=["a", "b", "a", "d", "e", "f"])


def test_labels_that_look_like_new_categories_are_classes_like_any_other(tiny):
    first = paco.Discoverer().fit(tiny.support, np.array(["a", "b", "c", "d", "e", "f"])[tiny.labels])
    found = first.predict(tiny.stream)
    again = paco.Discoverer().fit(np.concatenate([tiny.support, tiny.stream]),
                                  np.concatenate([first.classes_[tiny.labels], found]))
    assert "category 7" in again.classes_
    mixed = ["a", "b", "category 6", "category 8", "e", "category 8 (2)"]
    session = paco.Session(paco.calibrate(tiny.support, tiny.labels, class_names=mixed))
    decisions = session.decide_many(tiny.stream)
    names = {c.id: c.name for c in session.categories()}
    assert len(set(names.values())) == len(names) == 9
    assert (names[3], names[6], names[7], names[8]) == ("category 8", "category 6 (2)", "category 7", "category 8 (3)")
    assert set(decisions.name[decisions.category == 8]) == {"category 8 (3)"}


def test_a_dict_is_read_by_its_keys(tiny):
    names = [f"x{i}" for i in range(16)]
    as_dicts = [dict(zip(names, row)) for row in tiny.support.tolist()]
    backwards = [dict(reversed(list(zip(names, row)))) for row in tiny.stream.tolist()]
    finder = paco.Discoverer().fit(as_dicts, tiny.labels)
    assert finder.feature_names_in_.tolist() == names
    assert finder.predict(backwards).tolist() == tiny.expected.tolist()
    assert [finder.decide(x).category for x in backwards[:20]] == tiny.expected[:20].tolist()
    assert [d.category for d in finder.stream(iter(backwards[20:]))] == tiny.expected[20:].tolist()
    with pytest.raises(InputError, match="x99"):
        finder.predict_one({**dict(zip(names[:15], range(15))), "x99": 1.0})
    unnamed = paco.Discoverer().fit(tiny.support, tiny.labels)
    by_number = dict(reversed(list(enumerate(tiny.stream[0].tolist()))))
    assert unnamed.predict_one(by_number) == tiny.expected[0] == unnamed.session_.copy().decide(by_number).category
    for x in (as_dicts[0], {i + 1: 1.0 for i in range(16)}):
        for refuse in (unnamed.decide, unnamed.predict_one, unnamed.learn_one, unnamed.session_.decide):
            with pytest.raises(InputError, match="a dict"):
                refuse(x)
    assert unnamed.session_.samples == 0


def test_columns_are_checked_by_everything_that_takes_a_table(tiny):
    pandas = pytest.importorskip("pandas")
    names = [f"x{i}" for i in range(16)]
    finder = paco.Discoverer().fit(pandas.DataFrame(tiny.support, columns=names), tiny.labels)
    right, wrong = pandas.DataFrame(tiny.stream, columns=names), pandas.DataFrame(tiny.stream, columns=names[::-1])
    for refuse in (finder.predict, finder.partial_predict, finder.decide_many, lambda X: finder.score(X, tiny.truth),
                   lambda X: list(finder.stream([X])), lambda X: finder.decide(X[:1])):
        with pytest.raises(InputError, match="feature names"):
            refuse(wrong)
    assert finder.session_.samples == 0
    assert finder.decide(wrong.iloc[0]).category == finder.session_.copy().decide(tiny.stream[0, ::-1]).category
    assert finder.decide_many(right).category[3:].tolist() == paco.Session(finder.model_).decide_many(
        np.concatenate([tiny.stream[:1, ::-1], tiny.stream])).category[4:].tolist()


def test_masked_values_are_refused(session, tiny):
    rows = np.ma.MaskedArray(tiny.stream[:5].astype(float))
    assert session.copy().decide_many(rows).category.tolist() == tiny.expected[:5].tolist()
    rows[2, 7] = np.ma.masked
    for refuse in (session.decide_many, lambda X: session.decide(X[2]), paco.Discoverer().fit(tiny.support, tiny.labels).predict):
        with pytest.raises(InputError, match="masked value at (2, )?7"):
            refuse(rows)
    with pytest.raises(InputError, match="missing"):
        paco.calibrate(tiny.support, np.ma.MaskedArray(tiny.labels, np.arange(len(tiny.labels)) == 3))
    assert session.samples == 0


@pytest.mark.parametrize("kind", ["uint64", "Int64"])
def test_wide_and_nullable_numbers_are_numbers(tiny, kind):
    pandas = pytest.importorskip("pandas")
    first = 2**63 - 1 if kind == "uint64" else 100
    labels = np.asarray([first + i for i in range(6)], dtype=np.uint64)[tiny.labels]
    given = labels if kind == "uint64" else pandas.Series(labels.astype(np.int64)).astype("Int64")
    found = paco.Discoverer().fit(tiny.support, given).predict(tiny.stream)
    assert found.dtype.kind in "iu" and [int(x) for x in found] == [first + int(x) for x in tiny.expected]
    if kind == "Int64":
        given[3] = pandas.NA
        with pytest.raises(InputError, match="missing|NaN"):
            paco.Discoverer().fit(tiny.support, given)
    else:
        with pytest.raises(InputError, match="leaves no numbers"):
            paco.Discoverer().fit(tiny.support, np.where(tiny.labels == 5, np.uint64(2**64 - 1), labels))


def test_a_label_after_fit_is_not_dropped_in_silence(tiny):
    finder = paco.Discoverer().fit(tiny.support, tiny.labels)
    finder.learn_one(tiny.stream[0], 3)
    assert finder.labels_.tolist() == [3] and finder.categories_[3].verified == 1


def test_a_known_class_stays_one_when_it_is_merged_away(session):
    session.merge([1], into=0)
    kinds = {c.id: c.kind for c in session.categories(merged=True)}
    assert kinds[1] == "known" and 1 not in [c.id for c in session.categories()]


def test_decisions_of_another_model_are_refused(session, model, tiny):
    decisions = session.decide_many(tiny.stream)
    other = paco.calibrate(tiny.support, tiny.labels, temperature=0.5)
    with pytest.raises(InputError, match="another model"):
        paco.report(decisions, other)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from pacodiscovery import plots

    with pytest.raises(InputError, match="another model"):
        plots.planes(decisions, other)
    with pytest.raises(InputError, match="different models"):
        decisions + paco.Session(other).decide_many(tiny.stream)


@pytest.mark.parametrize("block", [1, 4, 100])
def test_rows_that_came_before_the_source_raised_are_decided(model, tiny, block):
    def source():
        yield from tiny.stream[:10]
        raise OSError("the camera is gone")

    session, got = paco.Session(model), []
    with pytest.raises(OSError, match="camera"):
        for decision in session.stream(source(), block):
            got.append(decision.category)
    assert got == tiny.expected[:10].tolist() and session.samples == 10


@pytest.mark.parametrize("bad", [np.ones(3), "x", np.full(16, np.nan)])
def test_rows_before_a_bad_one_are_decided_in_blocks(model, tiny, bad):
    session, got = paco.Session(model), []
    with pytest.raises(paco.PacoError) as error:
        for decision in session.stream([*tiny.stream[:5], bad, *tiny.stream[5:8]], 100):
            got.append(decision.category)
    assert session.samples == 5 and (got or [d.category for d in error.value.decisions]) == tiny.expected[:5].tolist()
