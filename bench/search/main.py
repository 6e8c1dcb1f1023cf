# SPDX-License-Identifier: BSD-3-Clause
"""How well and how fast rows are found by their codes, beside a product with all of them: bench/search/run MODEL ROWS.npy

The last 200 rows are the queries, the others are indexed. Wanted are the ten rows of largest cosine. Process CPU seconds,
one thread.
"""

import argparse
import os
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402

import dualdict  # noqa: E402

N_QUERIES, N_HITS = 200, 10


def timed(work, repeats=3):
    """The result, and the least process time of a query in milliseconds."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return result, 1e3 * best / N_QUERIES


def brute_force(rows, queries):
    """One query at a time, as they come to a server."""
    found = []
    for query in queries:
        scores = rows @ query
        best = np.argpartition(-scores, N_HITS)[:N_HITS]
        found.append(best[np.argsort(-scores[best])])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("rows")
    arguments = parser.parse_args()
    model = dualdict.load_model(arguments.model)
    vectors = np.load(arguments.rows).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows, queries = vectors[:-N_QUERIES], vectors[-N_QUERIES:]
    wanted, brute_ms = timed(lambda: brute_force(rows, queries))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "i.ddx")
        start = time.process_time()
        dualdict.build_index(model, rows, path, decoded=True, n_jobs=1)
        seconds = time.process_time() - start
        searcher = dualdict.Searcher(model, path, n_jobs=1)
        small = os.path.join(folder, "small.ddx")
        dualdict.build_index(model, rows, small, n_jobs=1)
        size = os.path.getsize(small)
        print(f"{len(rows)} rows of {rows.shape[1]}, {model.n_atoms} atoms, "
              f"{searcher.info.n_nonzeros / len(rows):.1f} nonzeros a row")
        print(f"index: {seconds:.1f} s, {size / len(rows):.0f} bytes a row, 1/{rows.nbytes / size:.1f} of float32 rows")
        print(f"{'score':32} of the {N_HITS} nearest  ms a query  times faster")
        print(f"{'product with all rows':32} {1:18.3f} {brute_ms:11.3f} {1:13.1f}")
        usual = 8 * round(searcher.info.n_nonzeros / len(rows))
        for name, options in [
            ("cosine", {}), ("dot", {}), ("bm25", {}), ("cosine", {"rerank": 200}),
            *(("decoded", {"query_atoms": n}) for n in (usual // 4, usual // 2, usual, 2 * usual)),
            ("decoded", {"query_atoms": usual // 2, "rerank": 100}),
        ]:
            hits, ms = timed(lambda name=name, options=options: [searcher.search(q[None], N_HITS, name, **options)[0]
                                                                 for q in queries])
            share = np.mean([len({hit.row for hit in found} & set(best)) / N_HITS for found, best in zip(hits, wanted)])
            words = ", ".join([name, *(f"{key} {value}" for key, value in options.items())])
            print(f"{words:32} {share:18.3f} {ms:11.3f} {brute_ms / ms:13.1f}", flush=True)


if __name__ == "__main__":
    main()
