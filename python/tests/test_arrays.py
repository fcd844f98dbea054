"""Numbers of every type, order and owner give the same decisions; what is no numbers is refused in words."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

import pacodiscovery as paco
from pacodiscovery.errors import InputError, InputTypeError


def categories(model, rows):
    with paco.Session(model) as session:
        return session.decide_many(rows).category.tolist()


@pytest.fixture(scope="module")
def rows(tiny):
    # Numbers that half precision holds, so that every type has the same.
    return tiny.stream.astype(np.float16).astype(np.float64)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", ">f4", ">f8", "longdouble", "object"])
def test_every_type_of_number_gives_the_same_decisions(model, rows, kind):
    assert categories(model, rows.astype(kind)) == categories(model, rows)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64", "uint16"])
def test_integers_decide_like_the_floats_they_are(model, rows, kind):
    whole = np.clip(np.abs(np.round(rows * 20)), 0, 100) + 1
    assert categories(model, whole.astype(kind)) == categories(model, whole)


def test_every_order_of_memory_gives_the_same_decisions(model, rows):
    wide = np.zeros((len(rows) * 2, rows.shape[1] * 3), np.float32)
    wide[::2, 1::3] = rows
    backwards = np.ascontiguousarray(rows[::-1, ::-1])
    read_only = rows.copy()
    read_only.setflags(write=False)
    odd = np.frombuffer(b"x" + rows.tobytes(), np.uint8)[1:].view(np.float64).reshape(rows.shape)
    for same in (np.asfortranarray(rows), wide[::2, 1::3], backwards[::-1, ::-1], read_only, odd, rows.tolist()):
        assert categories(model, same) == categories(model, rows)


def test_a_memory_mapped_file_is_read_in_place(model, rows, tmp_path):
    np.save(tmp_path / "rows.npy", rows.astype(np.float32))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert categories(model, mapped) == categories(model, rows)


class Tensor:
    """As much of a tensor as DLPack needs, with no __array__."""

    def __init__(self, array, gradient=False):
        self.array, self.gradient = array, gradient

    def __dlpack__(self, stream=None):
        if self.gradient:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def detach(self):
        return Tensor(self.array)


def test_a_tensor_comes_in_by_dlpack_and_without_its_gradient(model, rows):
    single = rows.astype(np.float32)
    assert categories(model, Tensor(single)) == categories(model, rows)
    assert categories(model, Tensor(single, gradient=True)) == categories(model, rows)


def test_a_buffer_comes_in_as_an_array(model, rows):
    numbers = (ctypes.c_double * rows.size)(*rows.ravel())
    shaped = memoryview(numbers).cast("B").cast("d", rows.shape)
    assert categories(model, shaped) == categories(model, rows)


def test_a_tensor_of_another_device_is_refused_with_a_way_out(model):
    class Elsewhere:
        def __dlpack__(self, stream=None):
            raise BufferError("the tensor is on a GPU")

        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(InputTypeError, match="GPU|device") as error:
        categories(model, Elsewhere())
    assert "cpu" in error.value.hint


@pytest.mark.parametrize("bad, kind, words", [
    (np.ones((3, 4)), InputError, "4 features.*16 features"),
    (np.ones(16), InputError, r"2D array.*shape \(16\)"),
    (np.ones((2, 2, 16)), InputError, "2D array"),
    (3.0, InputError, "2D array"),
    ([[1, 2], [1, 2, 3]], InputError, "no array of numbers"),
    (np.array([["a"] * 16]), InputError, "embeddings are numbers"),
    (np.array([[None] * 16]), InputError, "row 0.*nan"),
    (np.array([[{}] * 16]), InputTypeError, "embeddings are numbers"),
    (np.ones((2, 16), complex), InputError, "Complex data not supported"),
    (np.ones((2, 16), "datetime64[s]"), InputTypeError, "datetime64"),
    (None, InputError, "2D array"),
])
def test_what_is_no_rows_of_this_model_is_refused(session, bad, kind, words):
    with pytest.raises(paco.PacoError, match=words) as error:
        session.decide_many(bad)
    assert isinstance(error.value, kind) and error.value.hint
    assert session.samples == 0


@pytest.mark.parametrize("value, words", [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "inf")])
def test_a_row_that_is_not_finite_is_named_and_those_before_it_stand(session, tiny, value, words):
    rows = tiny.stream[:10].astype(float)
    rows[7, 3] = value
    with pytest.raises(InputError, match=f"(?i)row 7.*{words}") as error:
        session.decide_many(rows)
    assert error.value.decisions.category.tolist() == tiny.expected[:7].tolist()
    assert session.samples == 7
    with pytest.raises(InputError, match="(?i)the sample.*" + words):
        session.decide(rows[7])
    assert session.decide(tiny.stream[7]).category == tiny.expected[7]


def test_no_rows_are_no_decisions(session):
    decisions = session.decide_many(np.empty((0, 16)))
    assert len(decisions) == 0 and decisions.name.tolist() == [] and list(decisions) == []


def test_the_package_needs_numpy_alone():
    code = ("import sys; sys.modules.update(dict.fromkeys(['sklearn', 'pandas', 'matplotlib', 'torch', 'scipy'])); "
            "import pacodiscovery as paco; f = paco.Discoverer().fit([[1, 0], [1, .1], [0, 1], [.1, 1], [-1, 0], [-1, .1]], [0, 0, 1, 1, 2, 2]); "
            "print(f.predict([[1, .05]])[0])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "0\n"
