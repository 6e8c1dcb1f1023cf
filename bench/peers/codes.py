# SPDX-License-Identifier: BSD-3-Clause
"""Few nonzeros, least error: |x - xhat| / |x| on samples of other images, at equal mean nonzeros, against the core seconds of learning."""
import os

import numpy as np

import aksvd_peer
import autoencoder
import ours
import samples
import sklearn_peer
import spams_peer
from availability import missing
from isolate import isolated
from problems import kept
from settings import data_folder

RATES = (1e-3, 5e-3)
NEAR = 0.005  # of the wanted nonzeros
TESTED = 4000


def patches(settings):
    """Of four fifths of the pictures, and of the others."""
    return tuple(kept(settings.work / f"codes-patches-{part}-{n}.npy", lambda part=part, n=n: samples.patches(n, 12, part))
                 for part, n in (("learn", settings.n_codes), ("test", TESTED)))


def digits(settings):
    n = min(settings.n_codes, 45_000)
    everything = samples.digits(45_000 + TESTED)
    return (kept(settings.work / f"codes-digits-{n}.npy", lambda: everything[:n]),
            kept(settings.work / "codes-digits-test.npy", lambda: everything[45_000:]))


def sentences(settings):
    vectors = np.load(data_folder("sentences") / "glosses.npy", mmap_mode="r")
    n = min(settings.n_codes, 70_000)
    return (kept(settings.work / f"codes-sentences-{n}.npy", lambda: vectors[:n].astype(np.float32)),
            kept(settings.work / "codes-sentences-test.npy", lambda: vectors[-TESTED:].astype(np.float32)))


# name: (samples, atoms, nonzeros)
PROBLEMS = {"patches": (patches, 200, (7, 40, 69)), "digits": (digits, 200, (13, 53)), "sentences": (sentences, 1024, (32,))}


def components(learned, tested, nonzeros):
    x, test = np.load(learned).astype(np.float64), np.load(tested).astype(np.float64)
    started = os.times().user
    _, vectors = np.linalg.eigh(np.cov(x.T))
    seconds = os.times().user - started
    return seconds, autoencoder.Coder(vectors.T, -vectors.T @ x.mean(0), vectors.T, x.mean(0)).error(test, nonzeros)


def autoencoders(learned, tested, n_atoms, nonzeros, settings):
    """{rate: [[core seconds, error]]}, each training from the start to its own end."""
    test = np.load(tested).astype(np.float64)
    curves = {}
    for rate in RATES:
        for seconds in settings.codes_seconds:
            taken, steps, coder = isolated(autoencoder.train, learned, n_atoms, nonzeros, rate, seconds)
            curves.setdefault(f"{rate:g}", []).append([taken, coder.error(test, nonzeros), steps])
    return curves


def coded_error(model, tested, mode, nonzeros, work):
    """The command's codes with exactly that mean count: what it is asked for is moved until they have it."""
    test, asked = np.load(tested), float(nonzeros)
    codes, decoded = work / "codes-ours.npy", work / "codes-decoded.npy"
    for _ in range(6):
        ours.command("encode", model, tested, "-o", codes, "--mode", mode, "--nonzeros", asked, "--threads", 1)
        count = np.count_nonzero(np.load(codes)) / len(test)
        if abs(count / nonzeros - 1) <= NEAR:
            break
        asked *= nonzeros / max(count, 1e-3)
    ours.command("decode", model, codes, "-o", decoded, "--mode", mode, "--threads", 1)
    return float(np.linalg.norm(test - np.load(decoded)) / np.linalg.norm(test))


def our_points(learned, tested, n_atoms, nonzeros, settings):
    """{mode: [core seconds of learning, error]} of the command with its defaults, and of the other penalty."""
    points = {}
    for penalty in ("l0", "l1"):
        model = settings.work / f"codes-{penalty}.safetensors"
        before = os.times().children_user
        ours.command("learn", learned, "-o", model, "--atoms", n_atoms, "--nonzeros", nonzeros, "--penalty", penalty,
                     "--threads", 1, "--quiet")
        seconds = os.times().children_user - before
        for mode in ("hard", "greedy") if penalty == "l0" else ("greedy", "sparse"):
            points[f"{mode}, {penalty}"] = [seconds, coded_error(model, tested, mode, nonzeros, settings.work)]
    return points


def one(learned, tested, n_atoms, nonzeros, settings):
    absent = missing()
    seconds, error = components(learned, tested, nonzeros)
    row = {"nonzeros": nonzeros, "components": [seconds, error],
           "ours": our_points(learned, tested, n_atoms, nonzeros, settings), "autoencoder": {}}
    if "torch" not in absent:
        row["autoencoder"] = autoencoders(learned, tested, n_atoms, nonzeros, settings)
    return row


def measure(settings):
    """Every problem, as far as its data are there."""
    rows, absent = {}, missing()
    for name, (make, n_atoms, counts) in PROBLEMS.items():
        try:
            learned, tested = make(settings)
        except FileNotFoundError as error:
            absent = {**absent, name: str(error)}
            continue
        n, d = np.load(learned, mmap_mode="r").shape
        rows[name] = {"n_samples": n, "n_features": d, "n_atoms": n_atoms,
                      "counts": [one(learned, tested, n_atoms, k, settings) for k in counts[:settings.n_counts]]}
    return {"problems": rows, "missing": absent, "seconds": list(settings.codes_seconds), "pursuit": pursuit(settings), "aksvd": ground(settings)}


def pursuit(settings, nonzeros=10):
    """Orthogonal matching pursuit: samples/s of each package, and how far its codes are from scikit-learn's."""
    learned, _ = patches(settings)
    chosen = settings.work / "pursuit.npy"
    np.save(chosen, np.load(learned)[:settings.n_pursued])
    atoms = settings.work / "pursuit-atoms.npy"
    x = np.load(learned)
    order = np.random.default_rng(0).permutation(len(x))[:200]
    np.save(atoms, x[order] / np.linalg.norm(x[order], axis=1, keepdims=True))
    rates, codes = {}, {}
    path = settings.work / "pursuit-ours.npy"
    best = min(ours.program("exact_speed", chosen, atoms, 1, 1, 1, path, f"omp:{nonzeros}")["core_seconds"]
               for _ in range(settings.repeats))
    rates["dualdict"], codes["dualdict"] = settings.n_pursued / best, np.load(path)
    if "sklearn" not in missing():
        rates["scikit-learn"], codes["scikit-learn"] = isolated(sklearn_peer.pursue, chosen, atoms, nonzeros)
    if "spams" not in missing():
        rates["SPAMS"], codes["SPAMS"] = isolated(spams_peer.pursue, chosen, atoms, nonzeros)
    like = codes.get("scikit-learn")
    same = {} if like is None else {name: float(np.mean(((code != 0) == (like != 0)).all(1))) for name, code in codes.items()}
    return {"n_samples": settings.n_pursued, "nonzeros": nonzeros, "rates": rates, "same": same}


def ground(settings, n=10_000, nonzeros=10, n_atoms=200):
    """10,000 patches, 10 nonzeros each, matching pursuit: the error on them after so many core seconds, AK-SVD's and ours."""
    if "dictlearn" in missing():
        return {}
    learned, _ = patches(settings)
    few = settings.work / "codes-aksvd.npy"
    np.save(few, np.load(learned)[:n])
    curve = isolated(aksvd_peer.learn, few, n_atoms, nonzeros, settings.aksvd_iterations)
    model, codes, back = (settings.work / f"aksvd-ours{end}" for end in (".safetensors", "-codes.npy", "-back.npy"))
    before = os.times().children_user
    ours.command("learn", few, "-o", model, "--atoms", n_atoms, "--nonzeros", nonzeros, "--penalty", "l1", "--threads",
                 1, "--quiet")
    seconds = os.times().children_user - before
    ours.command("encode", model, few, "-o", codes, "--mode", f"omp:{nonzeros}", "--threads", 1)
    ours.command("decode", model, codes, "-o", back, "--mode", f"omp:{nonzeros}", "--threads", 1)
    x = np.load(few)
    return {"curve": curve, "ours": [seconds, float(np.linalg.norm(x - np.load(back)) / np.linalg.norm(x))]}
