"""Calibration with its evidence, thresholds for any host, evaluation, tables, plots, the report."""

import json

import numpy as np
import pytest

import pacodiscovery as paco
from conftest import SOURCE, recorded
from pacodiscovery.errors import InputError


def test_thresholds_carry_the_scores_they_were_chosen_from(model):
    thresholds = model.thresholds
    assert {"tau_hi", "tau_birth", "tau_create"} <= set(thresholds)
    for one in thresholds.values():
        assert one.interval[0] < one.value <= one.interval[1]
        again = paco.calibrate_threshold(one.positives, one.negatives)
        assert again.balanced_accuracy == one.balanced_accuracy and float(again) == pytest.approx(one.value, rel=1e-6)
    assert model.summary["known_classes"] == 6 and "tau_hi" in str(model)


def test_a_threshold_is_the_best_of_all_cuts():
    rng = np.random.default_rng(3)
    for seed in range(20):
        positives, negatives = rng.normal(1, 1, 30).round(1), rng.normal(0, 1, 20).round(1)
        cuts = np.unique([*positives, *negatives])
        best = max(0.5 * ((positives >= cut).mean() + (negatives < cut).mean()) for cut in cuts)
        found = paco.calibrate_threshold(positives, negatives)
        assert found.balanced_accuracy == pytest.approx(best), seed
        for cut in (found.value, found.interval[1]):
            assert 0.5 * ((positives >= cut).mean() + (negatives < cut).mean()) == pytest.approx(best), seed


def test_scores_that_are_none_are_refused():
    with pytest.raises(InputError, match="no positive scores"):
        paco.calibrate_threshold([], [1])
    with pytest.raises(InputError, match="negative score 1 is nan"):
        paco.calibrate_threshold([1], [0, float("nan")])
    with pytest.raises(InputError, match="tie"):
        paco.calibrate_threshold([1], [0], tie="left")


def cosine(x, memory):
    sums = np.stack([rows.sum(axis=0) for rows in memory.values()])
    return float((sums @ x / np.linalg.norm(sums, axis=1)).max())


def test_a_host_in_python_gets_the_threshold_that_the_engine_gives_its_own(tiny, model):
    rows = tiny.support.astype(float)
    units = (rows - model.mean) / model.deviation
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    theirs = paco.calibrate_by_replay(units.astype(np.float32).astype(float), tiny.labels, cosine)
    ours = paco.Discoverer("leader").fit(tiny.support, tiny.labels).thresholds_["leader"]
    assert theirs.value == pytest.approx(ours.value, abs=1e-6)
    assert len(theirs.positives) == len(ours.positives) == 3 * (len(rows) - 6)


def test_what_the_scoring_function_raises_comes_out_as_it_is(tiny):
    class Mine(Exception):
        pass

    def fails(x, memory):
        raise Mine("seven")

    with pytest.raises(Mine, match="seven"):
        paco.calibrate_by_replay(tiny.support, tiny.labels, fails)
    with pytest.raises(TypeError, match="number"):
        paco.calibrate_by_replay(tiny.support, tiny.labels, lambda x, memory: "high")
    with pytest.raises(InputError, match="scored nan"):
        paco.calibrate_by_replay(tiny.support, tiny.labels, lambda x, memory: float("nan"))
    with pytest.raises(InputError, match="two classes"):
        paco.calibrate_by_replay(tiny.support, np.zeros(len(tiny.support), int), cosine)


def test_recorded_scores_are_what_evaluate_gives():
    for name in ("tiny", "overlap", "wide"):
        case = recorded(name)
        expected = json.loads((case.folder / "expected.json").read_text())
        result = paco.evaluate(case.truth, case.expected, known=expected["n_known"], resamples=0)
        for protocol in ("strict", "greedy"):
            assert [result[protocol][k] for k in ("all", "old", "new")] == pytest.approx(expected[protocol])


def test_labels_of_any_type_are_truth(tiny):
    names = np.array([f"class {i:02}" for i in range(tiny.truth.max() + 1)])
    by_number = paco.evaluate(tiny.truth, paco.Session(paco.calibrate(tiny.support, tiny.labels)).decide_many(tiny.stream))
    model = paco.calibrate(tiny.support, names[tiny.labels])
    decisions = paco.Session(model).decide_many(tiny.stream)
    by_name = paco.evaluate(names[tiny.truth], decisions)
    assert by_name["strict"] == by_number["strict"] and by_name["greedy"] == by_number["greedy"]
    assert by_name.interval("strict", "new")[0] < by_name["strict"]["new"] < by_name.interval("strict", "new")[1]
    partly = names[tiny.truth].astype(object)
    partly[::2] = None
    assert paco.evaluate(partly, decisions)["coverage"]["with_truth"] == len(tiny.truth) // 2


def test_what_cannot_be_evaluated_is_refused(tiny):
    with pytest.raises(InputError, match="which classes are known"):
        paco.evaluate(tiny.truth, tiny.expected)
    with pytest.raises(InputError):
        paco.evaluate(tiny.truth, tiny.expected[:5], known=6)
    with pytest.raises(InputError, match="class numbers"):
        paco.evaluate(["a"] * len(tiny.expected), tiny.expected, known=6)
    with pytest.raises(InputError, match="category ids"):
        paco.evaluate([1], [0.5], known=6)
    with pytest.raises(InputError, match="keep"):
        paco.evaluate(tiny.truth, tiny.expected, known=6, keep="some")


def test_methods_stand_side_by_side(tiny):
    results = paco.compare(tiny.support, tiny.labels, tiny.stream, tiny.truth, methods=["paco", "closed"])
    assert results["paco"]["strict"]["new"] > results["closed"]["strict"]["new"]


def test_frames_have_the_columns_of_the_files(session, tiny, tmp_path):
    pandas = pytest.importorskip("pandas")
    decisions = session.decide_many(tiny.stream)
    frame = decisions.to_pandas()
    promised = ("sample,verdict,category,name,branch,route,score,threshold,runner_up,assignment_score,runner_up_score,tau_birth,"
                "top_cosine,margin,birth_score,attach_score").split(",")
    assert [c for c in frame.columns if c in promised] == promised
    assert frame.category.tolist() == tiny.expected.tolist() and frame.index.name == "sequence"
    result = paco.evaluate(tiny.truth, decisions)
    assert len(result.to_pandas()) > 0
    for table in result.tables.values():
        assert list(table.to_pandas().columns) == table.columns and "<table>" in table._repr_html_()
    assert isinstance(session.categories_to_pandas(), pandas.DataFrame)


def test_plots_are_drawn(session, model, tiny):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from pacodiscovery import plots

    decisions = session.decide_many(tiny.stream)
    left, right = plots.planes(decisions, model)
    assert left.get_xlabel() == "top cosine" and right.get_ylabel() == "attach score"
    curve = plots.categories(decisions, tiny.truth)
    found, met = (line.get_ydata()[-1] for line in curve.lines)
    assert found == decisions.categories_after[-1] and met == len(np.unique(tiny.truth[tiny.truth >= 6]))
    assert plots.threshold(model.thresholds["tau_create"]).patches
    with pytest.raises(InputError, match="no birth_score"):
        plots.planes(paco.Session(model, "closed").decide_many(tiny.stream[:3]), model)


def test_names_on_the_map_cover_no_point_and_no_other_name(session, tiny):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    session.decide_many(tiny.stream)
    ax = paco.plots.map(session)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert {text.get_text() for text in ax.texts} == {c.name for c in session.categories()}
    assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
    marks = ax.transData.transform([(p.x, p.y) for p in session.map()])
    assert not [1 for box in boxes for x, y in marks if box.contains(x, y)]


def test_reliability_compares_what_was_said_with_what_was_right(session, tiny):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    decisions = session.decide_many(tiny.stream)
    known = tiny.truth < 6
    truth = np.where(known, tiny.truth, -1)  # of new classes nobody knows
    right = decisions.category[known] == tiny.truth[known]
    ax = paco.plots.reliability(np.full(len(decisions), 0.5), decisions, truth, bins=1)
    said, seen = (line[0] for line in ax.lines[1].get_data())
    assert said == 0.5 and seen == pytest.approx(right.mean())
    assert ax.get_title() == f"Off by {100 * abs(right.mean() - 0.5):.1f} points on average"
    with pytest.raises(InputError, match="2 confidences"):
        paco.plots.reliability([1, 1], decisions, truth)


def test_the_report_is_a_page_or_says_why_not(session, model, tiny, tmp_path):
    decisions = session.decide_many(tiny.stream)
    try:
        page = paco.report(decisions, model, truth=tiny.truth, title="Birds & <others>")
    except InputError as error:
        assert "page" in error.message and error.hint
        pytest.skip("built without the report page")
    assert "Birds &amp; &lt;others&gt;" in page.page and "iframe" in page._repr_html_()
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == page.page


def test_methods_describe_themselves():
    for name in paco.methods():
        info = paco.method_info(name)
        assert info["summary"] and info["name"] == name
    with pytest.raises(paco.PacoError) as error:
        paco.method_info("nobody")
    assert error.value.hint


def test_the_package_says_the_version_of_the_project():
    text = (SOURCE / "CMakeLists.txt").read_text()
    assert f"VERSION {paco.__version__} " in text
