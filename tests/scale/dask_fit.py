# SPDX-License-Identifier: BSD-3-Clause
"""Fits on Dask: the same bits on any number of workers and after their deaths, speed, memory.

    python tests/scale/dask_fit.py bits|kills|speed|memory [--kills 20] [--samples N]

Needs the extra `dask` (dask, distributed) and the package on PYTHONPATH; everything runs on this machine. Ends with exit
code 1 when a promise does not hold.
"""
import argparse
import os
import random
import signal
import tempfile
import threading
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import dualdict
from dualdict.dask import DualDictionaryLearning

D, K = 144, 200


def planted(n, seed):
    """Samples of D features with a few of K atoms each."""
    atoms = np.random.default_rng(12345).standard_normal((K, D), dtype=np.float32)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    rng = np.random.default_rng(seed)
    codes = rng.standard_normal((n, K), dtype=np.float32) * (rng.random((n, K), dtype=np.float32) < 0.05)
    return codes @ atoms + 0.02 * rng.standard_normal((n, D), dtype=np.float32)


def planted_array(n, n_blocks):
    """Made where it is needed, the same each time."""
    size = n // n_blocks
    blocks = [da.from_delayed(dask.delayed(planted)(size, i), (size, D), np.float32) for i in range(n_blocks)]
    return da.concatenate(blocks)


def cluster(n_workers, **options):
    dask.config.set({"distributed.comm.timeouts.connect": "120s"})  # a busy machine starts workers slowly
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None, silence_logs=50, **options)


def learner(**options):
    return DualDictionaryLearning(K, nonzeros=10, random_state=0, tol=1e-3, **options)


def same(a, b):
    return bool((a.components_ == b.components_).all() and (a.dual_ == b.dual_).all())


def bits(arguments):
    X = planted_array(arguments.samples or 40000, 10)
    reference = learner().fit(X)
    print(f"one process: {reference.n_iter_} iterations, {reference.summary_.outcome}")
    good = True
    for n_workers in (1, 2, 3):
        with cluster(n_workers) as workers, Client(workers):
            equal = same(learner().fit(X), reference)
        print(f"{n_workers} workers: {'equal bits' if equal else 'OTHER BITS'}", flush=True)
        good = good and equal
    rows = X[:4000].compute()
    options = {"tau": reference.summary_.tau, "random_state": 0, "accurate_steps": True, "max_iter": 15}
    there = DualDictionaryLearning(K, **options).fit(da.from_array(rows, chunks=(1000, D)))
    here = dualdict.DualDictionaryLearning(K, **options).fit(rows)
    difference = there.summary_.energy.total / here.summary_.energy.total - 1
    print(f"accurate_steps, 4,000 samples: E of the fit in memory times 1 + {difference:.1e}")
    return good and abs(difference) < 1e-6


def killed_fit(X, nanny, rng):
    """A fit during which workers are killed; its estimator, or the error."""
    with cluster(2, processes=True) as workers, Client(workers) as client:
        if not nanny:
            for worker in workers.workers.values():
                worker.auto_restart = False
        ended = threading.Event()

        def kill():
            for _ in range(1 if not nanny else 2):
                if ended.wait(rng.uniform(0.2, 2.5)):
                    return
                processes = [worker.process.process.pid for worker in workers.workers.values()
                             if worker.process is not None and worker.process.process is not None]
                if processes:
                    try:
                        os.kill(rng.choice(processes), signal.SIGKILL)
                        print("  killed one", flush=True)
                    except ProcessLookupError:
                        pass

        killer = threading.Thread(target=kill)
        killer.start()
        began = time.monotonic()
        try:
            return learner(client=client).fit(X), None, time.monotonic() - began
        except Exception as error:
            return None, error, time.monotonic() - began
        finally:
            ended.set()
            killer.join()


def kills(arguments):
    X = planted_array(arguments.samples or 40000, 10)
    began = time.monotonic()
    reference = learner().fit(X)
    alone = time.monotonic() - began
    rng = random.Random(1)
    good = True
    for i in range(arguments.kills):
        nanny = i % 2 == 0
        fitted, error, seconds = killed_fit(X, nanny, rng)
        ok = error is not None or same(fitted, reference)
        how = f"{type(error).__name__}: {str(error)[:80]}" if error else ("equal bits" if ok else "OTHER BITS")
        print(f"kill {i + 1}, nanny {'on' if nanny else 'off'}: {seconds:.1f} s, {how}", flush=True)
        good = good and ok and seconds < 10 * alone + 40
    return good


def watch(times):
    def callback(record):
        times.append(time.monotonic())

    return callback


def speed(arguments):
    n = arguments.samples or 1000000
    X = planted_array(n, 32)
    seconds = {}
    for n_workers in (1, 2):
        with cluster(n_workers, memory_limit="6GiB") as workers, Client(workers) as client:
            rows = client.persist(X)
            client.gather(client.compute(rows.blocks[-1][:1]))
            times = []
            learner(client=client, max_iter=arguments.iterations, callback=watch(times)).fit(rows)
            seconds[n_workers] = float(np.median(np.diff(times)))
            print(f"{n_workers} workers: {seconds[n_workers]:.2f} s an iteration (median of {len(times) - 1})", flush=True)
    print(f"2 workers: {seconds[1] / seconds[2]:.2f} times as fast as 1")
    small = planted_array(3200, 32)
    with cluster(2) as workers, Client(workers) as client:
        times = []
        learner(client=client, max_iter=12, callback=watch(times)).fit(client.persist(small))
        print(f"overhead: {1000 * np.median(np.diff(times)):.0f} ms an iteration with 3,200 samples in 32 partitions")
    return True


def memory(arguments):
    """An array on disk that is several times larger than what all workers may take."""
    n = arguments.samples or 4000000
    size = 25000
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = os.path.join(folder, "samples.npy")
        file = np.lib.format.open_memmap(path, "w+", np.float32, (n, D))
        block = planted(size, 1)
        for first in range(0, n, size):
            file[first:first + size] = np.roll(block, first // size, axis=0)
        file.flush()
        del file

        def rows(first):
            return np.array(np.load(path, mmap_mode="r")[first:first + size])

        X = da.concatenate([da.from_delayed(dask.delayed(rows)(i), (size, D), np.float32) for i in range(0, n, size)])
        limit = arguments.limit
        with cluster(2, memory_limit=f"{limit}MiB") as workers, Client(workers) as client:
            began = time.monotonic()
            fitted = learner(client=client, max_iter=2).fit(X)
            peaks = client.run(lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024)
        print(f"{X.nbytes / 1e9:.1f} GB from disk, {limit} MiB a worker: {time.monotonic() - began:.0f} s for "
              f"{fitted.n_iter_} iterations and the warm-up, peaks {sorted(peaks.values())} MiB")
        return max(peaks.values()) <= limit


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bits", "kills", "speed", "memory"])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--limit", type=int, default=700, help="MiB of a worker")
    parser.add_argument("--folder", help="where to write samples; default: the folder for temporary files")
    arguments = parser.parse_args()
    return 0 if globals()[arguments.what](arguments) else 1


if __name__ == "__main__":
    raise SystemExit(main())
