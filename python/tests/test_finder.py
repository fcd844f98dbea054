"""What a Discoverer has besides fit and predict: single predictions, labels after fit, confidence, files, texts, splits."""

import json
import pickle
import warnings

import numpy as np
import pytest

import pacodiscovery as paco
from conftest import SHARED
from pacodiscovery.errors import InputError, NotFoundError

NAMES = np.array(["crow", "jay", "magpie", "rook", "tit", "wren", "heron", "egret", "ibis", "stork"])


@pytest.fixture
def finder(tiny):
    return paco.Discoverer().fit(tiny.support, NAMES[tiny.labels])


def test_one_prediction_after_the_other_copies_the_session_once(finder, tiny, monkeypatch):
    copies = []
    copy = paco.Session.copy
    monkeypatch.setattr(paco.Session, "copy", lambda self: copies.append(1) or copy(self))
    expected = paco.Session(finder.model_).decide_many(tiny.stream).name.tolist()
    for x, name in zip(tiny.stream, expected):
        assert finder.predict_one(x) == name
        finder.learn_one(x)
    assert len(copies) == 1


def test_predictions_are_pure_whatever_comes_between(finder, tiny):
    reference = paco.Session(finder.model_)
    rng = np.random.default_rng(5)
    for i, x in enumerate(tiny.stream[:120]):
        for j in rng.integers(0, len(tiny.stream), rng.integers(0, 3)):
            assert finder.predict_one(tiny.stream[j]) == reference.copy().decide(tiny.stream[j]).name, i
        if i % 3 == 0:
            finder.predict_one(x)
        if i == 60:
            finder.session_.merge([7], into=6)
            reference.merge([7], into=6)
        (finder.learn_one if i % 2 else finder.decide)(x)
        assert finder.session_.digest() == (reference.decide(x) and reference.digest()), i


def test_labels_centres_and_counts_are_those_of_the_stream(finder, tiny):
    assert finder.labels_.tolist() == [] and finder.n_categories_ == 6
    finder.decide(tiny.stream[0])
    finder.decide_many(tiny.stream[1:50], keys=[f"k{i}" for i in range(49)])
    finder.decide_many(tiny.stream[1:50], keys=[f"k{i}" for i in range(49)])
    list(finder.stream(iter(tiny.stream[50:60])))
    finder.partial_predict(tiny.stream[60:])
    expected = paco.Session(finder.model_).decide_many(tiny.stream)
    assert finder.labels_.tolist() == expected.name.tolist()
    assert finder.n_categories_ == len(finder.categories_) == 9
    assert finder.cluster_centers_.shape == (9, 16)
    finder.session_.merge([7], into=6)
    finder.session_.rename(6, "heron")
    assert set(finder.labels_[np.isin(tiny.expected, [6, 7])]) == {"heron"} and finder.n_categories_ == 8


def test_threads_and_seeds_by_the_names_of_scikit_learn(tiny):
    one = paco.Discoverer(n_jobs=2, random_state=7).fit(tiny.support, tiny.labels)
    assert one.session_.threads == 2
    assert one.model_.fingerprint == paco.Discoverer(seed=7).fit(tiny.support, tiny.labels).model_.fingerprint
    assert one.model_.fingerprint != paco.Discoverer(random_state=8).fit(tiny.support, tiny.labels).model_.fingerprint
    states = [paco.Discoverer(random_state=np.random.RandomState(3)).fit(tiny.support, tiny.labels).model_.fingerprint for _ in range(2)]
    assert states[0] == states[1]
    assert paco.Discoverer(n_jobs=-1).fit(tiny.support, tiny.labels).predict(tiny.stream).tolist() == tiny.expected.tolist()


def test_it_is_an_estimator_of_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    assert issubclass(paco.Discoverer, base.BaseEstimator) and paco.Discoverer()._supervised


def test_progress_is_shown_and_an_exception_in_it_ends_the_call(tiny, capsys):
    seen = []
    finder = paco.Discoverer().fit(tiny.support, tiny.labels, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    seen.clear()
    finder.decide_many(np.tile(tiny.stream, (3, 1)), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3 * len(tiny.stream),) * 2 and [d for d, _ in seen] == sorted(d for d, _ in seen)
    paco.calibrate(tiny.support, tiny.labels, progress=True)
    assert "calibrating 100 %\n" in capsys.readouterr().err

    def enough(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        paco.calibrate(tiny.support, tiny.labels, progress=enough)
    session = paco.Session(finder.model_)
    with pytest.raises(KeyError, match="enough") as stopped:
        session.decide_many(tiny.stream, progress=enough)
    assert len(stopped.value.decisions) == session.samples > 0


def test_one_is_made_from_a_model_a_journal_or_a_file(finder, tiny, tmp_path):
    expected = paco.Session(finder.model_).decide_many(tiny.stream).name.tolist()
    assert paco.Discoverer.from_model(finder.model_).predict(tiny.stream).tolist() == expected
    numbers = paco.Discoverer.from_model(finder.model_, classes=[1, 2, 3, 4, 5, 6])
    assert numbers.predict(tiny.stream).tolist() == (tiny.expected + 1).tolist()
    with pytest.raises(InputError, match="2 classes for a model of 6"):
        paco.Discoverer.from_model(finder.model_, classes=[1, 2])
    kept = paco.Discoverer(journal=tmp_path / "birds.journal").fit(tiny.support, NAMES[tiny.labels])
    kept.decide_many(tiny.stream[:100])
    kept.session_.close()
    again = paco.Discoverer.from_journal(tmp_path / "birds.journal")
    assert again.partial_predict(tiny.stream[100:]).tolist() == expected[100:] and again.labels_.tolist() == expected
    with pytest.raises(InputError, match="journal"):
        again.save(tmp_path / "x.npz")
    for labels in (NAMES, NAMES.astype(object), np.arange(10) + 1, np.arange(10.0)):
        one = paco.Discoverer(n_jobs=1).fit(tiny.support, labels[tiny.labels])
        whole = one.predict(tiny.stream)
        one.partial_predict(tiny.stream[:100])
        one.save(tmp_path / "finder.npz")
        other = paco.Discoverer.load(tmp_path / "finder.npz")
        assert other.partial_predict(tiny.stream[100:]).tolist() == whole[100:].tolist() and other.labels_.tolist() == whole.tolist()
        assert other.classes_.dtype == one.classes_.dtype and pickle.loads(pickle.dumps(one)).labels_.tolist() == whole[:100].tolist()
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match="bad.npz"):
        paco.Discoverer.load(tmp_path / "bad.npz")
    with pytest.raises(NotFoundError):
        paco.Discoverer.load(tmp_path / "none.npz")


@pytest.mark.parametrize("labels", [NAMES, np.arange(10), np.arange(1, 11) * 10], ids=["names", "numbers", "tens"])
def test_labelled_samples_after_fit_are_learned(tiny, labels):
    finder = paco.Discoverer().fit(tiny.support, labels[tiny.labels])
    some = np.concatenate([np.flatnonzero(tiny.truth == c)[:6] for c in range(10)])
    rest = np.setdiff1d(np.arange(len(tiny.truth)), some)
    finder.partial_fit(tiny.stream[some], labels[tiny.truth[some]])
    assert finder.labels_.tolist() == labels[tiny.truth[some]].tolist()
    found = finder.partial_predict(tiny.stream[rest])
    plain = paco.Discoverer().fit(tiny.support, labels[tiny.labels]).predict(tiny.stream)[rest]
    assert (found == labels[tiny.truth[rest]]).mean() > (plain == labels[tiny.truth[rest]]).mean() + 0.2
    assert sum(c.verified for c in finder.categories_) == len(some)
    finder.learn_one(tiny.stream[0], labels[9])
    assert finder.labels_[-1] == labels[9]


@pytest.mark.parametrize("method", ["paco", "mirror"])
def test_labels_are_learned_in_memory_as_with_a_journal(method, tiny, tmp_path):
    labels = np.array([f"bird {i}" for i in range(10)])
    memory, journal = (paco.Discoverer(method, journal=path).fit(tiny.support, labels[tiny.labels]) for path in (None, tmp_path / "j"))
    for finder in (memory, journal):
        finder.partial_predict(tiny.stream[:60])
        finder.partial_fit(tiny.stream[60:100], labels[tiny.truth[60:100]])
        finder.learn_one(tiny.stream[100], labels[tiny.truth[100]])
    for finder in (memory, journal):
        assert finder.labels_[60:].tolist() == labels[tiny.truth[60:101]].tolist()
    assert memory.predict(tiny.stream[101:]).tolist() == journal.predict(tiny.stream[101:]).tolist()
    assert [c.verified for c in memory.categories_] == [c.verified for c in journal.categories_]
    again = pickle.loads(pickle.dumps(memory))
    assert again.predict(tiny.stream[101:]).tolist() == memory.predict(tiny.stream[101:]).tolist()
    with pytest.raises(InputError, match="not kept|without their embeddings"):
        memory.session_.move([60], into=0)


def test_a_session_in_memory_moves_the_samples_that_it_keeps(finder, tiny):
    session = paco.Session(finder.model_, embeddings=20)
    session.decide_many(tiny.stream[:50])
    moved = session.move([49, 45], name="heron")
    session.verify([49])
    assert [c.verified for c in session.categories() if c.name == "heron"] == [1]
    session.undo(session.history()[-1])
    session.undo(moved)
    assert "heron" not in {c.name for c in session.categories()}
    with pytest.raises(NotFoundError, match="sample 3 is not kept") as error:
        session.move([3], into=0)
    assert "Session.create" in error.value.hint
    with pytest.raises(InputError, match="embeddings is -1"):
        paco.Session(finder.model_, embeddings=-1)


def test_nothing_found_is_said(tiny, recwarn):
    known = tiny.stream[tiny.truth < 6]
    finder = paco.Discoverer("closed").fit(tiny.support, tiny.labels)
    with pytest.warns(paco.NothingFoundWarning, match="no new category.*mirror"):
        finder.predict(known)
    with pytest.warns(paco.NothingFoundWarning):
        finder.decide_many(known)
    recwarn.clear()
    finder.predict(known[:50])
    paco.Discoverer().fit(tiny.support, tiny.labels).predict(tiny.stream)
    assert not [w for w in recwarn if issubclass(w.category, paco.NothingFoundWarning)]


def mixture(seed=0, classes=14, rows=60, dimension=24):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(classes, dimension))
    y = np.repeat(np.arange(classes), rows)
    return centres[y] + 0.75 * rng.normal(size=(len(y), dimension)), y, rng.permutation(len(y))


def test_confidence_is_the_share_of_right_answers():
    X, y, order = mixture()
    known = (y < 10) & (np.arange(len(y)) % 60 < 30)
    stream = order[~known[order]]
    finder = paco.Discoverer(confidence=True).fit(X[known], y[known])
    decisions = finder.decide_many(X[stream])
    confidence = finder.confidence_of(decisions)
    assert confidence.shape == (len(stream),) and confidence.min() >= 0 and confidence.max() <= 1
    right = np.zeros(len(stream), bool)
    for category in np.unique(decisions.category):
        rows = decisions.category == category
        values, counts = np.unique(y[stream][rows], return_counts=True)
        most = category if category < 10 else values[counts.argmax()]
        right[rows] = (y[stream][rows] == most) & ((most < 10) == (category < 10))
    assert abs(confidence.mean() - right.mean()) < 0.1
    sure = confidence >= np.median(confidence)
    assert right[sure].mean() > right[~sure].mean()
    surely = finder.decision_function(X[stream])
    assert (np.abs(surely) <= 1).all()
    old, new = surely[y[stream] < 10], surely[y[stream] >= 10]
    assert (old[:, None] > new).mean() > 0.8  # the area under the curve
    assert finder.confidence_of(list(decisions[:5])).tolist() == confidence[:5].tolist()
    with pytest.raises(InputError, match="decisions of closed"):
        finder.confidence_of(paco.Session(finder.model_, "closed").decide_many(X[:5]))


def test_confidence_has_to_be_asked_for(finder, tiny):
    assert not hasattr(finder, "decision_function")
    with pytest.raises(InputError, match="not calibrated") as error:
        finder.confidence_of(finder.decide_many(tiny.stream))
    assert "confidence=True" in error.value.hint
    with pytest.raises(InputError, match="four"):
        paco.Discoverer(confidence=True).fit(tiny.support[tiny.labels < 3], tiny.labels[tiny.labels < 3])


def test_splits_hold_classes_out():
    y = np.repeat([f"class {i}" for i in range(10)], 20)
    splits = list(paco.HeldOutClasses(5, held_out=0.2, test_size=0.25).split(None, y))
    assert len(splits) == 5 == paco.HeldOutClasses(5).get_n_splits()
    out = []
    for train, test in splits:
        assert not set(train) & set(test) and len(train) + len(test) == 200
        new = set(y[test]) - set(y[train])
        assert len(new) == 2 and len(train) == 8 * 15
        out += new
    assert sorted(out) == sorted(set(y))
    again = list(paco.HeldOutClasses(5, held_out=0.2, test_size=0.25).split(None, y))
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again))
    with pytest.raises(InputError, match="four or more"):
        next(paco.HeldOutClasses().split(None, [0, 1, 2] * 5))


def test_options_are_searched_with_classes_held_out():
    selection = pytest.importorskip("sklearn.model_selection")
    X, y, order = mixture(classes=10, rows=30)
    scores = selection.cross_val_score(paco.Discoverer(), X[order], y[order], cv=paco.HeldOutClasses(3))
    assert scores.shape == (3,) and (scores > 0.3).all()
    search = selection.GridSearchCV(paco.Discoverer(), {"method": ["paco", "closed"]}, cv=paco.HeldOutClasses(3)).fit(X[order], y[order])
    assert search.best_params_ == {"method": "paco"} and search.best_estimator_.predict(X[:3]).shape == (3,)


@pytest.fixture(scope="module")
def minilm():
    folder = SHARED / "models" / "minilm"
    if not folder.exists():
        pytest.skip("../shared/models/minilm is absent")
    return folder


def test_texts_become_the_recorded_embeddings(minilm):
    folder = SHARED / "golden" / "text"
    if not folder.exists():
        pytest.skip("../shared/golden/text is absent")
    texts = json.loads((folder / "cases.json").read_text())["texts"]
    encoder = paco.Encoder(minilm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(encoder.encode(texts), np.load(folder / "embeddings.npy"), atol=1e-5)
    with pytest.warns(UserWarning, match="text 1 has no word"):
        encoder.encode(["rain", ""])
    with pytest.warns(UserWarning, match="end of text 0"):
        encoder.encode(["rain " * 1000])
    with pytest.raises(InputError, match="text 1 is int"):
        encoder.encode(["rain", 3])


def test_a_finder_takes_texts(minilm):
    known = {"weather": ["it rains today", "the sun is shining", "snow is expected tomorrow", "a storm is coming", "clouds and some wind"],
             "music": ["she plays the violin", "the song is in a minor key", "a concert for piano", "he sings in a choir", "drums and a bass"],
             "cooking": ["boil the pasta", "add salt and pepper", "the soup needs an onion", "bake the bread", "fry the fish in butter"]}
    texts, labels = zip(*[(text, label) for label, some in known.items() for text in some])
    finder = paco.Discoverer(encoder=str(minilm)).fit(texts, labels)
    assert finder.n_features_in_ == 384 == finder._encoder().dimension
    assert finder.predict(["rain and snow", "roast the onions"]).tolist() == ["weather", "cooking"]
    assert finder.predict_one("a violin concert") == "music" == finder.decide("a violin concert").name
    other = pickle.loads(pickle.dumps(paco.Encoder(minilm)))
    assert (other.encode("rain") == paco.Encoder(minilm, threads=1).encode(["snow", "rain"])[1]).all() and other.dimension == 384
    assert other.record["dimension"] == 384 and "minilm" in repr(other)


def test_texts_of_a_journal_give_categories_keywords(minilm, tmp_path):
    finder = paco.Discoverer(encoder=paco.Encoder(minilm), journal=tmp_path / "j").fit(
        [f"{word} {i}" for word in ("rain", "violin", "soup") for i in range(5)], np.repeat(["weather", "music", "cooking"], 5))
    finder.decide_many(["rain in the garden", "heavy rain again"])
    assert finder.session_.sample(1).text == "heavy rain again"
    assert finder.session_.categories(notes=True)[0].keywords is not None


def test_what_is_no_encoder_is_refused(tmp_path):
    with pytest.raises(NotFoundError, match="no text encoder 'nobody'") as error:
        paco.Encoder("nobody")
    assert "folder" in error.value.hint
    with pytest.raises(paco.PacoError, match="config.json"):
        paco.Encoder(tmp_path)
