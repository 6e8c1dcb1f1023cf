# SPDX-License-Identifier: BSD-3-Clause
"""NumPy and SciPy read what we write, and we read what they write."""

import gzip
import io

import numpy as np
import pytest
import scipy.sparse

DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


def random_array(rng, dtype, shape):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(max(limits.min, -(2**52)), min(limits.max, 2**52), shape).astype(dtype)
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3)).astype(dtype)


def expected(array):
    """What our reader must give: samples in rows, in the precision that holds the elements."""
    wide = array.dtype.kind in "iu" and array.dtype.itemsize >= 4 or array.dtype.newbyteorder("=") == np.float64
    return array.reshape(array.shape[0], -1).astype(np.float64 if wide else np.float32)


def assert_same_bits(found, wanted):
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_of_every_type_order_and_version(convert, tmp_path, dtype):
    rng = np.random.default_rng(DTYPES.index(dtype))
    for case in range(12):
        shape = tuple(rng.integers(1, 9, rng.integers(2, 5)))
        array = random_array(rng, np.dtype(dtype), shape)
        array = array.astype(array.dtype.newbyteorder("<>"[case % 2]))
        array = np.asarray(array, order="CF"[case // 2 % 2])
        with open(tmp_path / "in.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=(1 + case % 3, 0))
        convert("read", tmp_path / "in.npy", tmp_path / "out.npy")
        assert_same_bits(np.load(tmp_path / "out.npy", allow_pickle=False), expected(array))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(convert, tmp_path, save):
    rng = np.random.default_rng(1)
    for case in range(20):
        array = random_array(rng, np.dtype("f4 f8 u1".split()[case % 3]), tuple(rng.integers(1, 200, 2)))
        arrays = [{"arr_0": array, "b": array[0]}, {"X": array, "y": array[:, 0]}, {"only": array}][case % 3]
        save(tmp_path / "in.npz", **arrays)
        convert("read", tmp_path / "in.npz", tmp_path / "out.npy")
        assert_same_bits(np.load(tmp_path / "out.npy"), expected(array))


def test_csv(convert, tmp_path):
    rng = np.random.default_rng(2)
    for case in range(20):
        array = rng.standard_normal(rng.integers(1, 20, 2)) * 1e5
        header = ["", "some words"][case % 2]
        np.savetxt(tmp_path / "in.csv", array, fmt="%.17g", delimiter=",; \t"[case % 4], header=header)
        convert("read", tmp_path / "in.csv", tmp_path / "out.npy")
        assert_same_bits(np.load(tmp_path / "out.npy"), array)


def test_idx_compressed_by_python(convert, tmp_path):
    pictures = np.random.default_rng(3).integers(0, 256, (50, 7, 5), dtype=np.uint8)
    with gzip.open(tmp_path / "in.gz", "wb") as file:
        file.write(b"\0\0\x08\3" + np.array(pictures.shape, ">u4").tobytes() + pictures.tobytes())
    convert("read", tmp_path / "in.gz", tmp_path / "out.npy")
    assert_same_bits(np.load(tmp_path / "out.npy"), expected(pictures))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_csr(convert, tmp_path, dtype):
    rng = np.random.default_rng(4)
    for case in range(20):
        array = random_array(rng, np.dtype(dtype), tuple(rng.integers(1, 40, 2)))
        array[rng.random(array.shape) < [0.0, 0.5, 0.9, 1.0][case % 4]] = 0
        np.save(tmp_path / "in.npy", array)
        convert("csr", tmp_path / "in.npy", tmp_path / "out.npz")
        sparse = scipy.sparse.load_npz(tmp_path / "out.npz")
        sparse.check_format(full_check=True)
        assert sparse.format == "csr" and sparse.has_canonical_format
        assert sparse.nnz == np.count_nonzero(array)
        assert_same_bits(sparse.toarray(), array + np.zeros((), dtype))
        save = [scipy.sparse.save_npz, lambda *a: scipy.sparse.save_npz(*a, compressed=False)][case % 2]
        save(tmp_path / "theirs.npz", scipy.sparse.csr_matrix(array))
        convert("read", tmp_path / "theirs.npz", tmp_path / "back.npy")
        assert_same_bits(np.load(tmp_path / "back.npy"), array + np.zeros((), dtype))


@pytest.mark.parametrize("kind", ["npy", "csv", "idx"])
def test_standard_input_and_output(run_once, kind):
    pictures = np.arange(12, dtype=np.uint8).reshape(3, 4)
    stream = io.BytesIO()
    if kind == "npy":
        np.save(stream, pictures)
    elif kind == "csv":
        np.savetxt(stream, pictures, delimiter=",")
    else:
        stream.write(b"\0\0\x08\2" + np.array(pictures.shape, ">u4").tobytes() + pictures.tobytes())
    result = run_once("read", "-", "-", stdin=stream.getvalue())
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(np.load(io.BytesIO(result.stdout)), pictures)


def test_objects_and_truncated_files_are_refused(run_once, tmp_path):
    np.save(tmp_path / "objects.npy", np.array([[1, None]], dtype=object), allow_pickle=True)
    result = run_once("read", tmp_path / "objects.npy", tmp_path / "out.npy")
    assert result.returncode == 1 and b"'|O'" in result.stderr
    np.save(tmp_path / "short.npy", np.zeros((10, 10)))
    content = (tmp_path / "short.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-1])
    result = run_once("read", tmp_path / "short.npy", tmp_path / "out.npy")
    assert result.returncode == 1 and b"truncated" in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["objects.npy", "short.npy"]
