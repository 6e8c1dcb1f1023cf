# SPDX-License-Identifier: BSD-3-Clause
"""index and search against NumPy; appending, killing, damage."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import COMMAND, planted, run, run_ok
from safetensors.numpy import load_file

N_ROWS, N_FEATURES, N_ATOMS = 500, 10, 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows, queries, names, a model of each penalty, an index that can decode."""
    path = tmp_path_factory.mktemp("search")
    np.save(path / "rows.npy", (1 + planted(N_ROWS, N_FEATURES, N_ATOMS, seed=8)).astype(np.float32))
    np.save(path / "queries.npy", (1 + planted(20, N_FEATURES, N_ATOMS, seed=9)).astype(np.float32))
    (path / "names.tsv").write_text("".join(f"{i}\ttext {i}\n" for i in range(N_ROWS)))
    options = ("--atoms", N_ATOMS, "--nonzeros", 3, "--center-features", "--quiet")
    run_ok("learn", path / "rows.npy", "-o", path / "m.safetensors", *options, "--penalty", "l0")
    run_ok("learn", path / "rows.npy", "-o", path / "l1.safetensors", *options, "--penalty", "l1")
    run_ok("index", path / "m.safetensors", path / "rows.npy", "-o", path / "i.ddx", "--names", path / "names.tsv",
           "--decoded")
    return path


def hits_of(index, folder, *flags, model="m.safetensors"):
    finished = run_ok("search", index, folder / model, folder / "queries.npy", "--json", *flags)
    return [json.loads(line)["hits"] for line in finished.stdout.decode().splitlines()]


def codes_of(folder, rows):
    run_ok("encode", folder / "m.safetensors", rows, "-o", folder / "codes.npy")
    return np.load(folder / "codes.npy").astype(np.float64)


def expected_scores(folder, score):
    """Queries x rows, in float64, with the rows' codes in half precision."""
    U = codes_of(folder, folder / "rows.npy").astype(np.float16).astype(np.float64)
    Q = codes_of(folder, folder / "queries.npy")
    if score == "dot":
        return Q @ U.T
    if score == "cosine":
        return Q @ U.T / np.maximum(np.linalg.norm(U, axis=1), 1e-30)
    if score == "bm25":
        mean = np.abs(U[U != 0]).mean()
        n = (U != 0).sum(axis=0)
        idf = np.log1p((len(U) - n + 0.5) / (n + 0.5))

        def saturated(w):
            return 2.2 * w / (w + 1.2 * mean)

        return sum((idf * saturated(np.maximum(s * Q, 0))) @ saturated(np.maximum(s * U, 0)).T for s in (1, -1))
    tensors = load_file(folder / "m.safetensors")
    x = np.load(folder / "queries.npy") - tensors["transform.feature_means"] - tensors.get("offset", 0)
    decoded = U @ tensors["dictionary"].astype(np.float64)
    lengths = np.linalg.norm(x, axis=1)[:, None] * np.maximum(np.linalg.norm(decoded, axis=1), 1e-30)
    return x @ decoded.T / lengths


@pytest.mark.parametrize("score", ["decoded", "dot", "cosine", "bm25"])
def test_scores_and_their_order_are_those_of_the_definition(score, folder):
    expected = expected_scores(folder, score)
    flags = ("--score", score, "--hits", N_ROWS, "--query-atoms", N_ATOMS)
    for hits, scores in zip(hits_of(folder / "i.ddx", folder, *flags), expected):
        found = [hit["score"] for hit in hits]
        np.testing.assert_allclose(found, scores[[hit["row"] for hit in hits]], rtol=2e-4, atol=2e-6)
        assert found == sorted(found, reverse=True)
        left_out = np.delete(scores, [hit["row"] for hit in hits])
        assert left_out.size == 0 or left_out.max() < 1e-5


def test_hits_say_their_name_and_what_matched(folder):
    U, Q = (codes_of(folder, folder / name) for name in ("rows.npy", "queries.npy"))
    for q, hits in zip(Q, hits_of(folder / "i.ddx", folder, "--score", "cosine", "--hits", 5)):
        for hit in hits:
            assert hit["name"] == f"text {hit['row']}"
            u = U[hit["row"]]
            assert {atom["atom"] for atom in hit["atoms"]} == set(np.flatnonzero((u != 0) & (q != 0)))
            for atom in hit["atoms"]:
                assert atom["row"] == pytest.approx(u[atom["atom"]], rel=1e-3)
                assert atom["query"] == pytest.approx(q[atom["atom"]], rel=1e-5)
    text = run_ok("search", folder / "i.ddx", folder / "m.safetensors", folder / "queries.npy").stdout.decode()
    assert "query 19" in text and "text " in text and "atoms " in text


def test_reranking_orders_by_all_atoms(folder):
    expected = expected_scores(folder, "decoded")
    hits = hits_of(folder / "i.ddx", folder, "--score", "cosine", "--rerank", N_ROWS, "--hits", 5)
    for found, scores in zip(hits, expected):
        np.testing.assert_allclose([hit["score"] for hit in found], scores[[hit["row"] for hit in found]], rtol=2e-4)
    run_ok("index", folder / "m.safetensors", folder / "rows.npy", "-o", folder / "plain.ddx")
    finished = run("search", folder / "plain.ddx", folder / "m.safetensors", folder / "queries.npy", "--rerank", 5)
    assert finished.code == 2 and "--decoded" in finished.stderr


def test_appended_rows_are_as_those_of_one_go(folder, tmp_path):
    rows = np.load(folder / "rows.npy")
    np.save(tmp_path / "a.npy", rows[:200])
    np.save(tmp_path / "b.npy", rows[200:])
    for part, first, last in (("a", 0, 200), ("b", 200, N_ROWS)):
        (tmp_path / f"{part}.txt").write_text("".join(f"text {i}\n" for i in range(first, last)))
        run_ok("index", folder / "m.safetensors", tmp_path / f"{part}.npy", "-o", tmp_path / "i.ddx", "--names",
               tmp_path / f"{part}.txt", *(("--decoded",) if part == "a" else ("--append",)))
    for score in ("decoded", "cosine", "bm25"):
        whole, parts = (hits_of(index, folder, "--score", score) for index in (folder / "i.ddx", tmp_path / "i.ddx"))
        assert [[hit["row"] for hit in hits] for hits in whole] == [[hit["row"] for hit in hits] for hits in parts]
        assert [hit["name"] for hit in whole[3]] == [hit["name"] for hit in parts[3]]
    finished = run("index", folder / "m.safetensors", tmp_path / "b.npy", "-o", tmp_path / "i.ddx", "--append")
    assert finished.code == 3 and "names" in finished.stderr


def test_more_rows_than_a_segment_takes(folder, tmp_path):
    rows = np.load(folder / "rows.npy")
    many = np.tile(rows, (140, 1))[:69000]
    far = 1 + 20 * (rows[7] - 1)
    many[66000:66010] = far
    np.save(tmp_path / "many.npy", many)
    run_ok("index", folder / "m.safetensors", tmp_path / "many.npy", "-o", tmp_path / "many.ddx")
    np.save(tmp_path / "q.npy", far[None])
    finished = run_ok("search", tmp_path / "many.ddx", folder / "m.safetensors", tmp_path / "q.npy", "--json", "--score",
                      "dot")
    hits = json.loads(finished.stdout)["hits"]
    assert [hit["row"] for hit in hits] == list(range(66000, 66010))
    assert len({hit["score"] for hit in hits}) == 1
    # Four bytes a nonzero, eight a row, and a few for each atom.
    size = (tmp_path / "many.ddx").stat().st_size
    assert size < 69000 * (8 + 4 * 6)


@pytest.mark.parametrize("mode", ["hard", "omp:3", "exact"])
def test_any_sparse_mode_codes_queries_as_it_coded_rows(mode, folder, tmp_path):
    flags = ("--nonzeros", 3) if mode == "exact" else ()
    model = "l1.safetensors" if mode == "exact" else "m.safetensors"
    run_ok("index", folder / model, folder / "rows.npy", "-o", tmp_path / "i.ddx", "--mode", mode, *flags)
    run_ok("encode", folder / model, folder / "rows.npy", "-o", tmp_path / "codes.npy", "--mode", mode, *flags)
    U = np.load(tmp_path / "codes.npy").astype(np.float64)
    np.save(folder / "queries.npy", np.load(folder / "rows.npy")[:20])
    try:
        for i, hits in enumerate(hits_of(tmp_path / "i.ddx", folder, "--score", "dot", "--hits", 3, model=model)):
            for hit in hits:
                assert hit["score"] == pytest.approx(U[i] @ U[hit["row"]], rel=2e-3, abs=1e-4)
    finally:
        np.save(folder / "queries.npy", (1 + planted(20, N_FEATURES, N_ATOMS, seed=9)).astype(np.float32))
    finished = run("index", folder / "m.safetensors", folder / "rows.npy", "-o", tmp_path / "i.ddx", "--mode", "linear")
    assert finished.code == 2 and "dense" in finished.stderr


def test_another_model_is_refused(folder):
    finished = run("search", folder / "i.ddx", folder / "l1.safetensors", folder / "queries.npy")
    assert finished.code == 3 and "another model" in finished.stderr


def test_damage_is_found(folder, tmp_path):
    whole = (folder / "i.ddx").read_bytes()
    random = np.random.default_rng(1)
    for place in [*random.integers(0, len(whole), 25), len(whole) - 1, len(whole) - 12, 0]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        (tmp_path / "bad.ddx").write_bytes(damaged)
        finished = run("search", tmp_path / "bad.ddx", folder / "m.safetensors", folder / "queries.npy")
        if finished.code == 0:  # a bit of the document that changes no meaning, as in its numbers of nonzeros wanted
            assert damaged[place] in b"0123456789.eE+- \"" and place > len(whole) - 3000
            continue
        assert finished.code in (2, 3) and "bad.ddx" in finished.stderr or "mode" in finished.stderr, finished.stderr
    for cut in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.ddx").write_bytes(whole[:cut])
        finished = run("search", tmp_path / "cut.ddx", folder / "m.safetensors", folder / "queries.npy")
        assert finished.code == 3 and "cut.ddx" in finished.stderr


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_whoever_is_killed_while_indexing_leaves_the_old_index(how, folder, tmp_path):
    old = (folder / "i.ddx").read_bytes()
    (tmp_path / "i.ddx").write_bytes(old)
    np.save(tmp_path / "many.npy", np.tile(np.load(folder / "rows.npy"), (4000, 1)))
    command = [COMMAND, "index", folder / "m.safetensors", tmp_path / "many.npy", "-o", tmp_path / "i.ddx"]
    for wait in (0.05, 0.2, 0.4):
        process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE)
        time.sleep(wait)
        assert process.poll() is None, "it was too quick to be killed"
        os.kill(process.pid, how)
        process.wait(30)
        process.stderr.close()
        assert process.returncode != 0
        assert (tmp_path / "i.ddx").read_bytes() == old
    hits_of(tmp_path / "i.ddx", folder)
