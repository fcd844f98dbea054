"""What the tests share: made sets, the recorded ones, the program beside the module."""

import os
import pathlib

import numpy as np
import pytest

import pacodiscovery as paco

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PACO_SHARED", SOURCE.parent / "shared"))
GOLDEN = ["tiny", "wide", "overlap", "temperature", "no_routing", "static_birth"]


class Recorded:
    """A folder with a support set and a stream."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        load = lambda name: np.load(self.folder / f"{name}.npy")
        self.support, self.labels = load("support"), load("support_labels")
        self.stream, self.truth = load("stream"), load("stream_labels")
        self.classifier = load("classifier") if (self.folder / "classifier.npy").exists() else None
        self.expected = load("expected_category")


def recorded(name):
    return Recorded(SOURCE / "tests" / "golden" / name)


# Methods that `calibrate` makes from embeddings alone. The others need a head that was trained from images.
METHODS = [method for method in paco.methods() if method not in ("smile", "phe", "talon", "ltc")]


def short_training(method):
    """Options that keep the training of a method's head to a second or two; none for methods that train nothing."""
    steps = {"steps": 60}
    return steps if "steps" in [option["name"] for option in paco.method_info(method)["options"]] else {}


def shared_data(name):
    folder = SHARED / "data" / name
    if not (folder / "stream.npy").exists():
        pytest.skip(f"{name} is not in the shared folder")
    return Recorded(folder)


@pytest.fixture(scope="session")
def tiny():
    return recorded("tiny")


@pytest.fixture(scope="session")
def model(tiny):
    return paco.calibrate(tiny.support, tiny.labels)


@pytest.fixture
def session(model):
    with paco.Session(model) as session:
        yield session


@pytest.fixture(scope="session")
def program():
    """The built command line."""
    path = os.environ.get("PACO_PROGRAM")
    if not path or not os.path.exists(path):
        pytest.skip("PACO_PROGRAM names no built paco")
    return path
