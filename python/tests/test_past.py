"""What a session remembers: members, exemplars, pictures, texts, neighbours, the map, how categories grew."""

import base64

import numpy as np
import pytest

import pacodiscovery as paco
from pacodiscovery.errors import InputError, NotFoundError

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")


@pytest.fixture
def kept(model, tiny, tmp_path):
    with paco.Session.create(tmp_path / "birds.journal", model) as session:
        session.decide_many(tiny.stream, texts=[f"bird {i}" for i in range(len(tiny.stream))])
        yield session


def test_members_follow_operations(kept, tiny):
    sequences = lambda category, **how: [sample.sequence for sample in kept.members(category, **how)]
    six, seven = (np.flatnonzero(tiny.expected == c).tolist() for c in (6, 7))
    assert sequences(6) == six and sequences(6, order="newest", limit=3) == six[:-4:-1]
    merged = kept.merge([7], into=6)
    assert sequences(6) == sorted(six + seven) and kept.members(7) == []
    kept.undo(merged)
    moved = kept.move(six[:2], into=7)
    assert sequences(7) == sorted(seven + six[:2]) and kept.members(7)[0].now_name == "category 7"
    kept.undo(moved)
    kept.decide_many(tiny.stream[six[:1]])
    assert sequences(6)[-1] == len(tiny.stream)
    with pytest.raises(NotFoundError, match="no category 99"):
        kept.members(99)
    with pytest.raises(InputError, match="order"):
        kept.members(6, order="best")


def test_exemplars_are_the_members_nearest_to_the_centroid(kept, tiny):
    middle, edge = kept.members(6, order="middle"), kept.members(6, order="edge")
    cosines = [sample.cosine for sample in middle]
    assert cosines == sorted(cosines, reverse=True) and [s.sequence for s in edge] == [s.sequence for s in middle][::-1]
    assert kept.exemplars(6, 3) == middle[:3]
    unit = kept._units(tiny.stream[middle[0].sequence:middle[0].sequence + 1])[0]
    assert middle[0].cosine == pytest.approx(float(unit @ kept.centroid(6)), abs=1e-6)


def test_centroids_are_the_directions_that_categories_have(kept, model, tiny):
    ids, rows = kept.centroids()
    assert ids.tolist() == [c.id for c in kept.categories()]
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(rows[:6], model.references, atol=1e-6)
    units = kept._units(tiny.stream[tiny.expected == 6])
    assert float(units.mean(axis=0) @ kept.centroid(6)) / np.linalg.norm(units.mean(axis=0)) > 0.999
    near = kept.nearest(6, 3)
    assert len(near) == 3 and near[0].cosine >= near[1].cosine and 6 not in [n.category for n in near]
    with pytest.raises(InputError, match="no direction"):
        kept.centroid(99)


def test_samples_carry_texts_attributes_and_pictures(kept, tiny):
    decision = kept.decide(tiny.stream[0], id="heron.png", text="a heron", attributes={"camera": "north", "n": np.int64(3)}, picture=PNG)
    sample = kept.sample(decision.sequence)
    assert (sample.id, sample.text, sample.attributes, sample.picture) == (
        "heron.png", "a heron", {"camera": "north", "n": 3, "text": "a heron"}, True)
    assert kept.picture(decision.sequence) == PNG and kept.picture(0) is None
    assert sample.explanation == decision.explain() and sample.evidence == decision.evidence
    assert kept.sample(5).text == "bird 5" and kept.sample(5).explanation
    long = kept.decide(tiny.stream[1], text="ä" * 10**6)
    assert 100 < len(kept.sample(long.sequence).text) < 4096
    for bad, words in ((dict(text=3), "text is text"), (dict(attributes=["x"]), "dict"), (dict(attributes={"x": object()}), "numbers and text"),
                       (dict(picture="heron.png"), "bytes"), (dict(picture=b"nothing"), "no JPEG"), (dict(attributes={"x": "y" * 5000}), "4096"),
                       (dict(picture=PNG + bytes(300_000)), "262144")):
        with pytest.raises(InputError, match=words):
            kept.decide(tiny.stream[0], **bad)
    for bad in (dict(texts=["a"]), dict(texts="ab"), dict(pictures=[PNG] * 3), dict(attributes={"a": 1})):
        with pytest.raises(InputError):
            kept.decide_many(tiny.stream[:2], **bad)
    assert kept.samples == len(tiny.stream) + 2


def test_neighbours_the_map_and_time(kept, tiny):
    neighbours = kept.neighbours(3, 5)
    units = kept._units(tiny.stream)
    cosines = units @ units[3]
    cosines[3] = -2
    assert [n.sequence for n in neighbours] == np.argsort(-cosines, kind="stable")[:5].tolist()
    points = kept.map()
    assert {p.category for p in points} == {c.id for c in kept.categories()}
    assert all(-1 <= p.x <= 1 and -1 <= p.y <= 1 and p.known == (p.category < 6) for p in points)
    ends, counts = kept.over_time(10)
    assert ends[-1] == len(tiny.stream) and counts[6][-1] == (tiny.expected == 6).sum()
    assert all((np.diff(grown) >= 0).all() for grown in counts.values())
    assert counts[6][3] == (tiny.expected[:ends[3]] == 6).sum()


def test_a_session_in_memory_says_what_it_does_not_keep(session, tiny):
    session.decide_many(tiny.stream)
    for ask in (lambda: session.members(6), lambda: session.sample(0), lambda: session.picture(0), lambda: session.neighbours(0),
                session.over_time, lambda: session.decide(tiny.stream[0], text="a bird"),
                lambda: session.decide_many(tiny.stream, pictures=[PNG] * len(tiny.stream))):
        with pytest.raises(InputError, match="in memory") as error:
            ask()
        assert "Session.create" in error.value.hint
    assert session.samples == len(tiny.stream)
    assert len(session.map()) == 9 and session.nearest(6) and session.centroid(0).shape == (16,)


def test_embeddings_that_are_not_kept_are_said_to_be_missing(model, tiny, tmp_path):
    with paco.Session.create(tmp_path / "few.journal", model, embeddings=0, snapshot_samples=50) as session:
        for _ in range(12):
            session.decide_many(tiny.stream)
        session.checkpoint()
        sequences = [sample.sequence for sample in session.members(6)]
        assert len(sequences) > 12 * 20
        with pytest.raises(InputError, match="not kept"):
            session.exemplars(6)
    with paco.Session.look(tmp_path / "few.journal") as reader:
        assert reader.members(6)[0].name == "category 6"
        with pytest.raises((InputError, NotFoundError)):
            reader.sample(10**6)
