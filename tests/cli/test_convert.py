# SPDX-License-Identifier: BSD-3-Clause
"""convert: files of other programs against their definition in NumPy, there and back, and files that lie."""

import json

import numpy as np
import pytest
import scipy.sparse
from conftest import run, run_ok
from foreign_models import KINDS, Foreign
from safetensors.numpy import load_file, save_file

N_MODELS = 4


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.npy"
    np.save(path, np.random.default_rng(5).standard_normal((50, 12)).astype(np.float32))
    return path


def codes_of(model, rows, tmp_path, *flags):
    run_ok("encode", model, rows, "-o", tmp_path / "codes.npy", *flags)
    run_ok("decode", model, tmp_path / "codes.npy", "-o", tmp_path / "decoded.npy", *flags)
    return np.load(tmp_path / "codes.npy"), np.load(tmp_path / "decoded.npy")


@pytest.mark.parametrize("kind", KINDS)
def test_the_codes_are_those_of_the_other_program(kind, rows, tmp_path):
    X = np.load(rows)
    for seed in range(N_MODELS):
        foreign = Foreign(kind, seed)
        folder = foreign.save(tmp_path / f"sae{seed}")
        run_ok("convert", folder, "-o", tmp_path / "model.safetensors")
        codes, decoded = codes_of(tmp_path / "model.safetensors", rows, tmp_path)
        expected = foreign.codes(X)
        scale = np.abs(expected).max()
        assert (expected != 0).any() and (expected == 0).any()
        np.testing.assert_allclose(codes, expected, atol=1e-6 * scale)
        np.testing.assert_allclose(decoded, foreign.decoded(expected), atol=3e-6 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back_keeps_every_bit_that_is_not_folded(kind, rows, tmp_path):
    foreign = Foreign(kind, 1)  # applies its bias, rescales nothing
    folder = foreign.save(tmp_path / "sae")
    run_ok("convert", folder, "-o", tmp_path / "model.safetensors")
    run_ok("convert", tmp_path / "model.safetensors", "-o", tmp_path / "back", "--to", foreign.format())
    name, weights = foreign.names()
    before, after = load_file(folder / weights), load_file(tmp_path / "back" / weights)
    for tensor in before:
        if tensor == "threshold":
            np.testing.assert_array_equal(np.maximum(before[tensor], 0), after[tensor])
        elif tensor != "stats_last_nonzero":
            np.testing.assert_array_equal(before[tensor], after[tensor])
    config = json.loads((tmp_path / "back" / name).read_text())
    assert all(config[key] == value for key, value in foreign.config().items()
               if key not in ("metadata", "normalize_decoder", "k_aux"))
    # And through the module's own folder of a whole model.
    run_ok("convert", tmp_path / "back", "-o", tmp_path / "again.safetensors")
    a, _ = codes_of(tmp_path / "model.safetensors", rows, tmp_path)
    b, _ = codes_of(tmp_path / "again.safetensors", rows, tmp_path)
    np.testing.assert_array_equal(a, b)


def test_half_precision_and_modules_within_a_model_are_read(rows, tmp_path):
    foreign = Foreign("sentence-transformers", 2)
    for name in ("encoder", "decoder", "bias", "decoder_bias"):
        setattr(foreign, name, getattr(foreign, name).astype(np.float16))
    foreign.save(tmp_path / "whole" / "2_SparseAutoEncoder")
    run_ok("convert", tmp_path / "whole", "-o", tmp_path / "m.safetensors")
    codes, _ = codes_of(tmp_path / "m.safetensors", rows, tmp_path)
    np.testing.assert_allclose(codes, foreign.codes(np.load(rows)), atol=1e-5)


@pytest.fixture(scope="module")
def own_model(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "own.safetensors"
    run_ok("learn", rows, "-o", path, "--atoms", 8, "--penalty", "l0", "--nonzeros", 2, "--center-features",
           "--scale", 2, "--quiet")
    return path


@pytest.mark.parametrize("mode", ["hard", "topk:3"])
def test_own_codes_of_both_signs_are_exact_in_twice_the_atoms(own_model, mode, rows, tmp_path):
    flags = ("--to", "saelens", "--mode", mode)
    run_ok("convert", own_model, "-o", tmp_path / "sae", *flags, "--split-signs")
    run_ok("convert", tmp_path / "sae", "-o", tmp_path / "split.safetensors")
    own, own_decoded = codes_of(own_model, rows, tmp_path, "--mode", mode)
    split, split_decoded = codes_of(tmp_path / "split.safetensors", rows, tmp_path)
    assert (own < 0).any()
    np.testing.assert_allclose(split[:, :8] - split[:, 8:], own, atol=2e-6)
    assert (split >= 0).all()
    np.testing.assert_allclose(split_decoded, own_decoded, atol=5e-6)
    if mode == "hard":
        finished = run("convert", own_model, "-o", tmp_path / "other", *flags)
        assert finished.code == 2 and "--split-signs" in finished.stderr


def test_what_does_not_fit_is_refused_with_its_cost(own_model, model, tmp_path):
    for arguments, words in [
        ((own_model, "--to", "saelens"), "greedy"),
        ((own_model, "--to", "sentence-transformers", "--mode", "topk:3", "--split-signs"), "one matrix"),
        ((own_model, "--to", "sparsify", "--mode", "hard", "--split-signs"), "topk:k"),
        ((model, "--to", "saelens", "--mode", "hard"), "no encoder"),
        ((model, "--to", "nothing"), "saelens"),
    ]:
        finished = run("convert", *arguments, "-o", tmp_path / "refused")
        assert finished.code == 2 and words in finished.stderr, finished.stderr
        assert not (tmp_path / "refused").exists()


def test_a_plain_dictionary_becomes_a_model_and_back(rows, tmp_path):
    atoms = np.random.default_rng(1).standard_normal((20, 12)).astype(np.float32)
    atoms /= 1.001 * np.linalg.norm(atoms, axis=1, keepdims=True)
    np.save(tmp_path / "atoms.npy", atoms)
    save_file({"W_dec": atoms}, tmp_path / "atoms.safetensors")
    for name in ("atoms.npy", "atoms.safetensors"):
        run_ok("convert", tmp_path / name, "-o", tmp_path / "m.safetensors")
        np.testing.assert_array_equal(load_file(tmp_path / "m.safetensors")["dictionary"], atoms)
    run_ok("convert", tmp_path / "m.safetensors", "-o", tmp_path / "back.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), atoms)
    codes, _ = codes_of(tmp_path / "m.safetensors", rows, tmp_path, "--mode", "omp:3")
    assert ((codes != 0).sum(axis=1) == 3).all()


def test_terms_are_positive_and_say_every_code(tmp_path):
    codes = np.array([[0, 1.5, 0], [-0.25, 0, 0.1], [0, 0, 0]], np.float32)
    scipy.sparse.save_npz(tmp_path / "codes.npz", scipy.sparse.csr_matrix(codes))
    run_ok("convert", tmp_path / "codes.npz", "-o", tmp_path / "codes.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "codes.jsonl").read_text().splitlines()]
    assert lines == [{"id": "0", "terms": {"a1": 1.5}}, {"id": "1", "terms": {"a0_neg": 0.25, "a2": 0.1}},
                     {"id": "2", "terms": {}}]


NAN = np.full(12, np.nan, np.float32)
LIES = [
    ("standard", {"architecture": "gated"}, {}, "architecture"),
    ("standard", {"architecture": 3}, {}, "no string"),
    ("standard", {"normalize_activations": "layer_norm"}, {}, "decode to wrong"),
    ("standard", {"activation_fn": "tanh"}, {}, "tanh"),
    ("standard", {}, {"W_gate": np.zeros((2, 2), np.float32)}, "W_gate"),
    ("standard", {}, {"b_dec": NAN}, "NaN"),
    ("standard", {}, {"b_enc": np.zeros(7, np.float32)}, "7 long"),
    ("standard", {}, {"W_dec": np.zeros((3, 12), np.float32)}, "3 x 12"),
    ("standard", {}, {"W_dec": np.zeros(12, np.float32)}, "dimensions"),
    ("standard", {}, {"W_dec": np.zeros((20, 12), np.int32)}, "I32"),
    ("jumprelu", {}, {"threshold": np.zeros(3, np.float32)}, "threshold"),
    ("topk", {"k": 0}, {}, "'k' is 0"),
    ("topk", {"k": 21}, {}, "21"),
    ("topk", {"k": -1}, {}, "whole number"),
    ("topk", {"k": None}, {}, "'k' is 0"),
    ("sparsify", {"skip_connection": True}, {}, "past the codes"),
    ("sparsify", {"activation": "groupmax"}, {}, "groupmax"),
    ("sparsify", {"transcode": True}, {}, "transcode"),
    ("sparsify", {"k": 1.5}, {}, "whole number"),
    ("sentence-transformers", {"normalize": True}, {}, "standard deviation"),
    ("sentence-transformers", {"normalize": "yes"}, {}, "neither"),
    ("sentence-transformers", {}, {"decoder.linear.weight": np.ones((20, 12), np.float32)}, "differ"),
]


@pytest.mark.parametrize("kind, config, tensors, words", LIES)
def test_a_file_that_lies_is_refused_by_name(kind, config, tensors, words, tmp_path):
    folder = Foreign(kind, 1).save(tmp_path / "sae", config, tensors)
    finished = run("convert", folder, "-o", tmp_path / "m.safetensors")
    assert finished.code == 3 and words in finished.stderr, finished.stderr
    assert str(folder) in finished.stderr and not (tmp_path / "m.safetensors").exists()


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100000, '{"architecture": "topk", "k": 1e999}', "x" * 2000000])
def test_a_configuration_that_is_none_is_refused(text, tmp_path):
    folder = Foreign("topk", 1).save(tmp_path / "sae")
    (folder / "cfg.json").write_text(text)
    finished = run("convert", folder, "-o", tmp_path / "m.safetensors")
    assert finished.code == 3 and "cfg.json" in finished.stderr


def test_damaged_weights_and_empty_folders_are_refused(tmp_path):
    folder = Foreign("topk", 1).save(tmp_path / "sae")
    weights = folder / "sae_weights.safetensors"
    whole = weights.read_bytes()
    for cut in (0, 5, 100, len(whole) - 1):
        weights.write_bytes(whole[:cut])
        assert run("convert", folder, "-o", tmp_path / "m.safetensors").code == 3
    (tmp_path / "empty").mkdir()
    finished = run("convert", tmp_path / "empty", "-o", tmp_path / "m.safetensors")
    assert finished.code == 3 and "saelens" in finished.stderr
