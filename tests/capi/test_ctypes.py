# SPDX-License-Identifier: BSD-3-Clause
"""The C interface called from another language: the same bits as the command, and errors as data."""

import ctypes
import os
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

COMMAND = os.environ["DUALDICT_COMMAND"]
N, D, K = 400, 12, 16


@pytest.fixture(scope="module")
def library():
    library = ctypes.CDLL(os.environ["DUALDICT_LIBRARY"])
    library.dualdict_version.restype = ctypes.c_char_p
    library.dualdict_error_message.restype = ctypes.c_char_p
    library.dualdict_error_message.argtypes = [ctypes.c_void_p]
    for name in ("error", "options", "model", "encoder"):
        getattr(library, f"dualdict_{name}_free").argtypes = [ctypes.c_void_p]
    return library


def call(library, name, *arguments):
    """Calls a function that may fail; its error becomes an exception."""
    error = ctypes.c_void_p()
    status = getattr(library, name)(*arguments, ctypes.byref(error))
    if status != 0:
        message = library.dualdict_error_message(error).decode()
        library.dualdict_error_free(error)
        raise ValueError(f"{status}: {message}")


def floats(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def make_samples(path):
    random = np.random.default_rng(3)
    atoms = random.standard_normal((K, D))
    X = (random.standard_normal((N, K)) * (random.random((N, K)) < 0.2)) @ atoms
    X = np.ascontiguousarray(X, dtype=np.float32)
    np.save(path, X)
    return X


def learn(library, X, settings):
    options = ctypes.c_void_p()
    call(library, "dualdict_options_new", ctypes.byref(options))
    for name, value in settings.items():
        call(library, "dualdict_options_set", options, name.encode(), str(value).encode())
    model = ctypes.c_void_p()
    try:
        call(library, "dualdict_learn_f32", floats(X), ctypes.c_size_t(len(X)), ctypes.c_size_t(D), options, None,
             ctypes.byref(model), None)
    finally:
        library.dualdict_options_free(options)
    return model


def test_same_bits_as_the_command(library, tmp_path):
    X = make_samples(tmp_path / "samples.npy")
    settings = {"atoms": K, "nonzeros": 3, "seed": 5, "scale": 2}
    model = learn(library, X, settings)
    call(library, "dualdict_model_save", model, str(tmp_path / "by_c.safetensors").encode())
    encoder = ctypes.c_void_p()
    call(library, "dualdict_encoder_new", model, None, ctypes.byref(encoder))
    library.dualdict_model_free(model)
    codes = np.empty((N, K), np.float32)
    call(library, "dualdict_encode_f32", encoder, floats(X), ctypes.c_size_t(N), ctypes.c_size_t(D), floats(codes),
         ctypes.c_size_t(K))
    library.dualdict_encoder_free(encoder)

    flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    by_command = tmp_path / "by_command.safetensors"
    subprocess.run([COMMAND, "learn", tmp_path / "samples.npy", "-o", by_command, "--quiet", *flags], check=True)
    subprocess.run([COMMAND, "encode", by_command, tmp_path / "samples.npy", "-o", tmp_path / "codes.npy"], check=True)
    assert np.count_nonzero(codes) > 0
    assert codes.tobytes() == np.load(tmp_path / "codes.npy").tobytes()
    ours, theirs = load_file(tmp_path / "by_c.safetensors"), load_file(by_command)
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert tensor.tobytes() == theirs[name].tobytes(), name


def test_errors_are_data(library):
    with pytest.raises(ValueError, match="2: .*atoms"):
        learn(library, np.ones((N, D), np.float32), {"atoms": -1})
    with pytest.raises(ValueError, match="3: .*NaN"):
        learn(library, np.full((N, D), np.nan, np.float32), {"atoms": 4, "tau": 0.1})


def test_version(library):
    told = subprocess.run([COMMAND, "--version"], capture_output=True, check=True, text=True).stdout
    assert told.split()[1] == library.dualdict_version().decode()
