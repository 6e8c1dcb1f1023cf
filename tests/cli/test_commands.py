# SPDX-License-Identifier: BSD-3-Clause
"""learn, info, verify, encode, decode and mosaic on a small problem."""

import json
import os
import re
import subprocess
import zipfile

import numpy as np
import pytest
from conftest import COMMAND, planted, run, run_ok, tensor_hash
from safetensors.numpy import load_file


def energy(data, dictionary, dual, codes, tau, eta, mu=0.0):
    """E as the maths page has it; rows are samples."""
    n_atoms, n_features = dictionary.shape
    return (
        ((data - codes @ dictionary) ** 2).sum() / n_features
        + eta / n_atoms * ((codes - data @ dual.T) ** 2).sum()
        + 2 * tau / n_atoms * np.abs(codes).sum()
        + mu / n_atoms * (codes**2).sum()
    )


def test_learn_json_is_one_document_and_stdout_has_nothing_else(samples, tmp_path):
    output, trace = tmp_path / "m.safetensors", tmp_path / "run.jsonl"
    finished = run_ok("learn", samples, "-o", output, "--atoms", 24, "--tau", 0.1, "--json", "--trace", trace)
    result = finished.json()
    assert result["outcome"] == "CONVERGED"
    assert result["model"] == str(output)
    assert (result["n_samples"], result["n_features"], result["n_atoms"]) == (600, 16, 24)
    terms = result["energy"]
    assert terms["total"] == pytest.approx(sum(terms[t] for t in ("reconstruction", "coding", "l1", "l2", "l0")))
    assert result["tau"] == pytest.approx(0.1)
    assert result["tau_max"] > result["tau"]
    assert result["coding_weight"] == pytest.approx(0.03)
    assert result["threshold"] == pytest.approx(0.1 * 16 / 24)
    assert 0 <= result["duality_gap"] < 1e-3
    for name in ("message", "seconds", "reading_seconds", "max_kkt_residual", "replaced_atoms", "dead_atoms",
                 "nonzeros_per_code"):
        assert name in result
    assert {"linear", "sparse", "corrected"} <= {row["mode"] for row in result["encoding"]["rows"]}
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [line["iteration"] for line in lines] == list(range(1, result["iterations"] + 1))
    for name in ("seconds", "energy", "relative_change", "dual_change", "dictionary_change", "accurate", "tau"):
        assert name in lines[-1]


def test_learn_says_what_to_try_next_on_stderr_only(samples, tmp_path):
    finished = run_ok("learn", samples, "-o", tmp_path / "m.safetensors", "--atoms", 8, "--tau", 0.1)
    assert finished.stdout == b""
    for part in ("CONVERGED", "dualdict info", "dualdict mosaic", "dualdict encode", "sparse"):
        assert part in finished.stderr
    assert "\x1b" not in finished.stderr and "\r" not in finished.stderr


def test_quiet_is_silent_and_progress_has_a_line_per_iteration(samples, tmp_path):
    learn = ("learn", samples, "-o", tmp_path / "m.safetensors", "--atoms", 8, "--tau", 0.1, "--max-iterations", 7)
    assert run_ok(*learn, "--quiet").stderr == ""
    lines = run_ok(*learn, "--progress", "--rtol", 0).stderr.splitlines()
    assert len([line for line in lines if "nonzeros" in line and "change" in line]) == 7


def test_verify_agrees_with_learn(samples, tmp_path):
    # verify codes every sample from zero to a relative gap of 1e-9, so its E may lie that far above.
    for dtype, tolerance, ball in (("float32", 1e-6, 1e-6), ("float64", 1e-9, 1e-12)):
        output = tmp_path / f"{dtype}.safetensors"
        arguments = ("--atoms", 24, "--tau", 0.1, "--dtype", dtype, "--inner-tolerance", 1e-6, "--json", "--quiet")
        learned = run_ok("learn", samples, "-o", output, *arguments).json()
        verified = run_ok("verify", output, samples, "--json").json()
        assert verified["checksum_ok"] is True
        assert verified["energy"]["total"] == pytest.approx(learned["energy"]["total"], rel=tolerance)
        assert verified["max_atom_norm"] <= 1 + ball
        assert verified["max_filter_norm"] <= 1 + ball
        assert verified["tau_max"] == pytest.approx(learned["tau_max"], rel=tolerance)
        assert verified["n_samples"] == 600
        text = run_ok("verify", output, samples).stdout.decode()
        assert "checksum" in text


def test_info_tells_shape_options_and_encoding(model):
    described = run_ok("info", model, "--json").json()
    assert described["shape"]["n_atoms"] == 24 and described["shape"]["n_features"] == 16
    assert described["options_given"]["tau"] == 0.1 and described["outcome"]["name"] == "CONVERGED"
    text = run_ok("info", model).stdout.decode()
    for part in ("24 atoms of 16 features", "CONVERGED", "--tau", "Preprocessing: none", "corrected"):
        assert part in text


def test_linear_codes_are_the_product_with_the_dual(model, samples, tmp_path):
    codes_path = tmp_path / "codes.npy"
    run_ok("encode", model, samples, "-o", codes_path, "--mode", "linear")
    codes = np.load(codes_path)
    assert codes.dtype == np.float32 and codes.shape == (600, 24)
    np.testing.assert_allclose(codes, np.load(samples) @ load_file(model)["dual"].T, atol=1e-5)


def test_exact_codes_have_the_reported_energy(samples, tmp_path):
    output, codes_path = tmp_path / "m.safetensors", tmp_path / "codes.npy"
    arguments = ("--atoms", 24, "--tau", 0.1, "--eta", 1, "--dtype", "float64", "--json", "--quiet")
    learned = run_ok("learn", samples, "-o", output, *arguments).json()
    assert learned["coding_weight"] == pytest.approx(16 / 24)
    run_ok("encode", output, samples, "-o", codes_path, "--mode", "exact", "--no-debias")
    codes, tensors = np.load(codes_path), load_file(output)
    assert codes.dtype == np.float64
    data = np.load(samples).astype(np.float64)
    found = energy(data, tensors["dictionary"], tensors["dual"], codes, tau=0.1, eta=1.0)
    assert found == pytest.approx(learned["energy"]["total"], rel=1e-5)


def test_penalty_l0(samples, tmp_path):
    output, codes = tmp_path / "m.safetensors", tmp_path / "codes.npy"
    learned = run_ok("learn", samples, "-o", output, "--atoms", 24, "--nonzeros", 3, "--penalty", "l0", "--json",
                     "--quiet").json()
    assert learned["outcome"] in ("CONVERGED", "ITERATION_LIMIT")
    assert learned["energy"]["l0"] > 0 and learned["energy"]["l1"] == 0
    assert {"hard", "greedy", "omp:3", "pca hard", "samples greedy"} <= {row["mode"] for row in learned["encoding"]["rows"]}
    checked = run_ok("verify", output, samples, "--json").json()
    assert checked["energy"]["l0"] == pytest.approx(learned["energy"]["l0"], rel=1e-2)
    for mode in ("hard", "greedy"):
        run_ok("encode", output, samples, "-o", codes, "--mode", mode, "--nonzeros", 4)
        assert (np.load(codes) != 0).sum(axis=1).mean() == pytest.approx(4, rel=0.25)  # of the samples learned from
    run_ok("info", output)
    run_ok("report", output, "-o", tmp_path / "page.html", "--data", samples)
    refused = run("learn", samples, "-o", output, "--atoms", 24, "--nonzeros", 3, "--penalty", "l0", "--tau", 0.1)
    assert refused.code == 2 and "--nonzeros" in refused.stderr
    streamed = run_ok("learn", samples, "-o", output, "--atoms", 24, "--nonzeros", 3, "--penalty", "l0", "--stream",
                      "--json", "--quiet").json()
    assert streamed["energy"]["l0"] == pytest.approx(learned["energy"]["l0"], rel=0.1)
    limited = run_ok("learn", samples, "-o", output, "--atoms", 24, "--nonzeros", 3, "--penalty", "l0",
                     "--time-limit", 0.05, "--json", "--quiet").json()
    assert limited["outcome"] == "TIME_LIMIT" and limited["energy"]["l0"] > 0


def test_encode_through_pipes_gives_the_same_bytes(model, samples, tmp_path):
    codes_path = tmp_path / "codes.npy"
    run_ok("encode", model, samples, "-o", codes_path)
    piped = run_ok("encode", model, "-", "-o", "-", stdin=samples.read_bytes())
    assert piped.stdout == codes_path.read_bytes()


def test_encode_does_not_depend_on_threads_or_on_neighbours(model, samples, tmp_path):
    alone, some = tmp_path / "alone.npy", tmp_path / "some.npy"
    np.save(some, np.load(samples)[100:107])
    for mode in ("linear", "sparse", "corrected", "refine:3", "exact"):
        results = []
        for threads in (1, 3):
            run_ok("encode", model, samples, "-o", tmp_path / "codes.npy", "--mode", mode, "--threads", threads)
            results.append(np.load(tmp_path / "codes.npy"))
        assert results[0].tobytes() == results[1].tobytes(), mode
        run_ok("encode", model, some, "-o", alone, "--mode", mode)
        assert np.load(alone).tobytes() == results[0][100:107].tobytes(), mode


def test_decode_does_not_depend_on_threads(model, samples, tmp_path):
    codes, again = tmp_path / "codes.npy", tmp_path / "again.npy"
    run_ok("encode", model, samples, "-o", codes)
    np.save(codes, np.tile(np.load(codes), (3, 1)))
    results = []
    for threads in (1, 2, 7):
        run_ok("decode", model, codes, "-o", again, "--threads", threads)
        results.append(again.read_bytes())
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("threads", (1, 3))
def test_the_first_bad_value_is_named_by_its_row_and_nothing_is_written(model, samples, tmp_path, threads):
    bad, output = tmp_path / "bad.npy", tmp_path / "codes.npy"
    data = np.tile(np.load(samples), (3, 1))
    data[701, 2] = np.nan
    data[703, 1] = np.inf
    data[-1, 0] = np.nan
    np.save(bad, data)
    output.write_bytes(b"old")
    for command in ("encode", "decode"):
        given = bad
        if command == "decode":
            given = tmp_path / "bad_codes.npy"
            np.save(given, np.tile(data[:, :1], (1, len(load_file(model)["dictionary"]))))
        result = run(command, model, given, "-o", output, "--threads", threads)
        assert result.code == 3
        assert f"{given}: " in result.stderr and "NaN or infinite, the first at row " in result.stderr
    assert "first at row 701, column 2" in run("encode", model, bad, "-o", output, "--threads", threads).stderr
    assert output.read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"bad.npy", "bad_codes.npy", "codes.npy"}


def test_sparse_output_is_the_same_matrix(model, samples, tmp_path):
    run_ok("encode", model, samples, "-o", tmp_path / "codes.npy")
    run_ok("encode", model, samples, "-o", tmp_path / "codes.npz", "--sparse")
    assert zipfile.is_zipfile(tmp_path / "codes.npz")
    parts = np.load(tmp_path / "codes.npz")
    dense = np.zeros(tuple(parts["shape"]), dtype=parts["data"].dtype)
    rows = np.repeat(np.arange(dense.shape[0]), np.diff(parts["indptr"]))
    dense[rows, parts["indices"]] = parts["data"]
    np.testing.assert_array_equal(dense, np.load(tmp_path / "codes.npy"))
    assert run("encode", model, samples, "-o", "-", "--sparse").code == 2
    for codes in ("codes.npy", "codes.npz"):
        run_ok("decode", model, tmp_path / codes, "-o", tmp_path / f"{codes}.again")
    assert (tmp_path / "codes.npy.again").read_bytes() == (tmp_path / "codes.npz.again").read_bytes()


def test_encode_takes_its_own_sparsity(model, samples, tmp_path):
    def nonzeros(*arguments):
        run_ok("encode", model, samples, "-o", tmp_path / "codes.npy", *arguments)
        return (np.load(tmp_path / "codes.npy") != 0).sum(axis=1).mean()

    assert nonzeros("--mode", "exact", "--tau", 0.5) < nonzeros("--mode", "exact")
    assert nonzeros("--mode", "exact", "--nonzeros", 3) == pytest.approx(3, rel=0.1)
    assert nonzeros("--mode", "sparse", "--nonzeros", 3) == pytest.approx(3, rel=0.2)
    assert run("encode", model, samples, "-o", tmp_path / "x.npy", "--tau", 1, "--nonzeros", 3).code == 2
    assert run("encode", model, samples, "-o", tmp_path / "x.npy", "--mode", "fancy").code == 2


def test_decode_undoes_encode(model, samples, tmp_path):
    data = np.load(samples)
    codes, again = tmp_path / "codes.npy", tmp_path / "again.npy"

    def error(mode, *arguments):
        run_ok("encode", model, samples, "-o", codes, "--mode", mode, *arguments)
        run_ok("decode", model, codes, "-o", again, "--mode", mode, *arguments)
        return np.linalg.norm(np.load(again) - data) / np.linalg.norm(data)

    assert error("sparse", "--no-debias") < 0.5
    assert error("sparse") <= error("sparse", "--no-debias") + 1e-6
    assert error("exact") < 0.5
    np.testing.assert_allclose(np.load(again), np.load(codes) @ load_file(model)["dictionary"], atol=1e-5)


def test_mosaic_is_a_png(model, tmp_path):
    run_ok("mosaic", model, "-o", tmp_path / "atoms.png")
    assert (tmp_path / "atoms.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert run("mosaic", model, "-o", tmp_path / "atoms.png", "--zoom", 0).code == 2


def test_report_is_one_page_that_loads_nothing(model, samples, tmp_path):
    page = tmp_path / "page.html"
    run_ok("report", model, "-o", page, "--data", samples, "--title", "a <b> & c")
    text = page.read_text()
    assert text.startswith("<!doctype html>") and "default-src 'none'" in text
    assert "<b>" not in text and not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    assert text == run_ok("report", model, "-o", "-", "--data", samples, "--title", "a <b> & c").stdout.decode()
    before = page.read_bytes()
    (tmp_path / "bad.jsonl").write_text("nonsense\n")
    (tmp_path / "names.txt").write_text("one\n")
    for words, code in ((("--trace", tmp_path / "bad.jsonl"), 3), (("--feature-names", tmp_path / "names.txt"), 2),
                        (("--data", tmp_path / "none.npy"), 3)):
        refused = run("report", model, "-o", page, *words)
        assert refused.code == code and str(words[1].name) in refused.stderr or "feature names" in refused.stderr
    assert run("report", model, "-o", model).code == 2
    assert page.read_bytes() == before



def test_nonzeros_are_reached(samples, tmp_path):
    arguments = ("--atoms", 24, "--nonzeros", 4, "--json", "--quiet")
    result = run_ok("learn", samples, "-o", tmp_path / "m.safetensors", *arguments).json()
    assert result["nonzeros_per_code"] == pytest.approx(4, rel=0.25)  # of the samples learned from


def test_tau_has_a_default_and_it_is_told(samples, tmp_path):
    finished = run_ok("learn", samples, "-o", tmp_path / "m.safetensors", "--atoms", 24, "--json", "--progress")
    assert 0 < finished.json()["tau"] < finished.json()["tau_max"]
    assert "tau = " in finished.stderr and "the default" in finished.stderr
    # Also where nobody watches the progress.
    assert "the default" in run_ok("learn", samples, "-o", tmp_path / "m.safetensors", "--atoms", 24).stderr


def test_too_large_a_tau_is_trivial(samples, tmp_path):
    arguments = ("--atoms", 24, "--tau", 1e6, "--json", "--quiet")
    result = run_ok("learn", samples, "-o", tmp_path / "m.safetensors", *arguments).json()
    assert result["outcome"] == "TRIVIAL"
    assert result["nonzeros_per_code"] == 0


def test_init_from_a_model_and_from_a_matrix(model, samples, tmp_path):
    again = tmp_path / "again.safetensors"
    arguments = ("--tau", 0.1, "--json", "--quiet", "-o", again)
    first = run_ok("learn", samples, "--init", model, *arguments).json()
    assert first["n_atoms"] == 24 and first["iterations"] <= 20
    np.save(tmp_path / "start.npy", planted(24, 16, 24, seed=5))
    assert run_ok("learn", samples, "--init", tmp_path / "start.npy", *arguments).json()["n_atoms"] == 24
    assert run("learn", samples, "--init", model, "--atoms", 7, *arguments).code == 2


def test_preprocessing_is_in_the_model(samples, tmp_path):
    scaled, model = tmp_path / "scaled.npy", tmp_path / "m.safetensors"
    np.save(scaled, np.load(samples) * 255 + 40)
    steps = ("--scale", 255, "--center-samples", "--center-features")
    run_ok("learn", scaled, "-o", model, "--atoms", 24, "--tau", 0.1, "--quiet", *steps)
    assert "divide by 255" in run_ok("info", model).stdout.decode()
    run_ok("encode", model, scaled, "-o", tmp_path / "codes.npy", "--mode", "linear")
    data = np.load(scaled).astype(np.float64) / 255
    data -= data.mean(axis=0)
    data -= data.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(tmp_path / "codes.npy"), data @ load_file(model)["dual"].T, atol=1e-4)


def test_validation_samples_are_unseen(samples, tmp_path):
    np.save(tmp_path / "other.npy", planted(200, 16, 24, seed=1)[:100])
    arguments = ("--atoms", 24, "--tau", 0.1, "--json", "--quiet", "--validation", tmp_path / "other.npy")
    table = run_ok("learn", samples, "-o", tmp_path / "m.safetensors", *arguments).json()["encoding"]
    assert table["unseen"] is True and table["n_measured"] == 100


def test_generated_images_as_patches(tmp_path):
    images, model = tmp_path / "leaves", tmp_path / "m.safetensors"
    run_ok("generate", "-o", images, "--images", 3, "--size", 64, "--seed", 4)
    assert len(list(images.glob("*.png"))) == 3
    cut = ("--patches", "6x5", "--samples", 500)
    steps = ("--center-samples", "--scale", 125)
    result = run_ok("learn", images, "-o", model, "--atoms", 20, "--json", "--quiet", *cut, *steps).json()
    assert (result["n_samples"], result["n_features"]) == (500, 30)
    assert result["encoding"]["unseen"] is True and result["encoding"]["n_measured"] == 50
    run_ok("encode", model, images, "-o", tmp_path / "codes.npy", *cut)
    assert np.load(tmp_path / "codes.npy").shape == (500, 20)
    run_ok("verify", model, images, *cut)
    assert run("learn", images, "-o", model, "--atoms", 20, "--samples", 500).code == 2


@pytest.mark.parametrize("solver", ["fast", "fista"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_change_no_bit(samples, tmp_path, solver, dtype):
    hashes = set()
    for threads in (1, 2, 3, 7):
        output = tmp_path / f"{threads}.safetensors"
        arguments = ("--atoms", 24, "--nonzeros", 4, "--max-iterations", 12, "--threads", threads, "--quiet")
        run_ok("learn", samples, "-o", output, "--solver", solver, "--dtype", dtype, *arguments)
        assert load_file(output)["dictionary"].dtype == np.dtype(dtype)
        hashes.add(tensor_hash(output))
    assert len(hashes) == 1


def test_small_commands(model):
    assert run_ok("--version").stdout.startswith(b"dualdict ")
    for command in ("learn", "encode", "decode", "info", "verify", "mosaic", "report", "options", "completion", "manual",
                    "generate"):
        text = run_ok(command, "--help").stdout.decode()
        assert text.index("Examples:") < text.index("Usage:")
        assert command in run_ok("completion", "bash").stdout.decode()
    assert "--inner-tolerance" in run_ok("options").stdout.decode()
    assert "--inner-tolerance" in run_ok("completion", "bash").stdout.decode()


@pytest.mark.skipif(os.environ.get("DUALDICT_SANITIZE", "") != "", reason="a sanitizer has an allocator of its own")
def test_learning_takes_little_more_memory_than_samples_and_codes(tmp_path):
    """The end of learning, where the encoders are fitted, is what takes most."""
    n, d, n_atoms = 10000, 100, 400
    np.save(tmp_path / "samples.npy", planted(n, d, 150, seed=6).astype(np.float32))
    command = [COMMAND, "learn", tmp_path / "samples.npy", "-o", tmp_path / "m.safetensors", "--atoms", n_atoms]
    process = subprocess.Popen([*map(str, command), "--tau", "1", "--max-iterations", "1", "--threads", "1", "--quiet"])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    assert usage.ru_maxrss * 1024 <= 4 * n * (d + n_atoms) + 200 * 2**20


@pytest.mark.parametrize("flags, ending", [((), "npy"), (("--sparse",), "npz")])
def test_codes_in_half_precision(flags, ending, model, samples, tmp_path):
    from scipy.sparse import load_npz

    def codes(name, *more):
        run_ok("encode", model, samples, "-o", tmp_path / f"{name}.{ending}", *flags, *more)
        found = load_npz(tmp_path / f"{name}.npz") if flags else np.load(tmp_path / f"{name}.npy")
        return found.dtype, found.astype(np.float64).toarray() if flags else found.astype(np.float64)

    whole, half = codes("whole"), codes("half", "--half")
    assert (whole[0], half[0]) == (np.float32, np.float16)
    np.testing.assert_array_equal(half[1], whole[1].astype(np.float32).astype(np.float16))
    # What is written is read: decoded from half precision.
    run_ok("decode", model, tmp_path / f"half.{ending}", "-o", tmp_path / "decoded.npy")
    assert np.load(tmp_path / "decoded.npy").shape == (600, 16)


def test_half_precision_has_a_largest_number(tmp_path):
    np.save(tmp_path / "large.npy", 1e6 * np.eye(4, dtype=np.float32))
    np.save(tmp_path / "atoms.npy", np.eye(4, dtype=np.float32))
    run_ok("convert", tmp_path / "atoms.npy", "-o", tmp_path / "m.safetensors")
    finished = run("encode", tmp_path / "m.safetensors", tmp_path / "large.npy", "-o", tmp_path / "codes.npy", "--mode",
                   "linear", "--half")
    assert finished.code == 4 and "65504" in finished.stderr and not (tmp_path / "codes.npy").exists()
