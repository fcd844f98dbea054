"""scikit-learn's own checks of an estimator. Those that cannot hold are listed with the reason."""

import numpy as np
import pytest

import pacodiscovery as paco

checks = pytest.importorskip("sklearn.utils.estimator_checks", reason="python3-sklearn is not installed")
sklearn_base = pytest.importorskip("sklearn.base")

TWO_CLASSES = "it fits two classes; calibration masks one class and compares two others, so it needs three"
REASONS = {
    "check_estimators_dtypes": "its integers make rows of zeros, which have no direction",
    "check_estimators_nan_inf": TWO_CLASSES,
    "check_pipeline_consistency": TWO_CLASSES,
    "check_estimators_pickle": TWO_CLASSES,
    "check_dict_unchanged": TWO_CLASSES,
    "check_fit_idempotent": TWO_CLASSES,
    "check_fit_check_is_fitted": TWO_CLASSES,
    "check_n_features_in": TWO_CLASSES,
}


class OnThreeClasses(paco.Discoverer):
    """Takes part in the checks that bring two classes: it makes three of them."""

    def fit(self, X, y=None):
        if y is not None and len(np.unique(y)) == 2:
            y = np.arange(len(y)) % 3
        return super().fit(X, y)


def name_of(check):
    return check.func.__name__


def generated(estimator):
    return [pytest.param(one, check, id=name_of(check)) for one, check in checks.check_estimator(estimator, generate_only=True)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", generated(paco.Discoverer()))
def test_the_check_holds(estimator, check):
    if name_of(check) in REASONS:
        with pytest.raises(paco.InputError):
            check(estimator)
        pytest.skip(REASONS[name_of(check)])
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", [
    case for case in generated(OnThreeClasses()) if REASONS.get(case.id) == TWO_CLASSES])
def test_the_check_holds_with_three_classes(estimator, check):
    check(estimator)


def test_clone_keeps_the_parameters_and_forgets_the_stream(tiny):
    finder = paco.Discoverer("mirror", threads=1).fit(tiny.support, tiny.labels)
    copy = sklearn_base.clone(finder)
    assert copy.get_params() == finder.get_params() and not hasattr(copy, "session_")
    with pytest.raises(checks.NotFittedError) as error:
        copy.predict(tiny.stream)
    assert isinstance(error.value, paco.NotFittedError) and "fit" in error.value.hint


def test_it_stands_at_the_end_of_a_pipeline(tiny):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    pipeline = make_pipeline(Normalizer(), paco.Discoverer()).fit(tiny.support, tiny.labels)
    assert pipeline.predict(tiny.stream).shape == (len(tiny.stream),)
    assert pipeline.set_params(discoverer__temperature=0.5).get_params()["discoverer__temperature"] == 0.5
