# SPDX-License-Identifier: BSD-3-Clause
"""Classes of Caltech-101 by codes of dense SIFT, a spatial pyramid and a linear SVM, as in the paper's last experiment."""
import importlib.util
import pathlib
import time

import numpy as np
from threadpoolctl import threadpool_limits

import dualdict
from common import data, results, start
import classify
import coders
import descriptors
import figures
import pooling
import synthetic

NAME = "caltech"
PAIRS = (("Faces", "Motorbikes"), ("airplanes", "Motorbikes"), ("watch", "chandelier"))
FULL = {"atoms": 1024, "samples": 100_000, "training": 30, "splits": 10, "most": None, "timed": 40, "rtol": 1e-4,
        "iterations": 200}
QUICK = {"atoms": 64, "samples": 3000, "training": 8, "splits": 2, "most": 16, "timed": 4, "rtol": 1e-2, "iterations": 8}


def is_there(package):
    return importlib.util.find_spec(package) is not None


def pictures_of(place, folder, sizes):
    """The descriptors: of a given folder of class folders, of Caltech-101, or made up when --quick has neither."""
    if not is_there("cv2"):
        if not place.quick:
            place.skip("OpenCV is not there; `experiments/run` installs it")
        place.say("OpenCV is not there: descriptors are made up, SIFT is not tried")
        return synthetic.pictures(sizes["most"])
    if place.quick and folder is None:
        folder = synthetic.write_folder(place.work / "classes", sizes["most"])
    try:
        folder = folder or data.caltech_folder()
    except data.Missing as problem:
        place.skip(problem)
    # Kept for the next run, in a file named after what is described.
    kept = place.work / f"descriptors-{folder.resolve().name}.npz"
    return descriptors.load_or_extract(folder, kept, sizes["most"])


def learn(place, pictures, sizes):
    random = np.random.default_rng(0)
    n = min(sizes["samples"], len(pictures.raw))
    samples = pictures.samples(np.sort(random.choice(len(pictures.raw), n, replace=False)))
    random.shuffle(samples)
    file = place.work / f"model-{'-'.join(pictures.classes)[:80]}-{n}.safetensors"
    if file.exists() and not place.quick:
        return dualdict.load_model(file), samples
    place.say(f"learning {sizes['atoms']} atoms from {n} descriptors")
    model, summary = dualdict.learn(samples, sizes["atoms"], coders.tau(sizes["atoms"], samples.shape[1]), eta=coders.ETA,
                                    tol=sizes["rtol"], max_iter=sizes["iterations"], random_state=0)
    place.say(f"{summary.outcome} after {summary.n_iter} iterations, {summary.nonzeros_per_code:.1f} nonzeros per code")
    model.save(file)
    return model, samples


def pooled_features(place, coder, name, pictures):
    """(pictures, 21 K): kept in half precision, enough for a classifier."""
    file = place.work / f"pooled-{name}-{'-'.join(pictures.classes)[:80]}.npy"
    if file.exists() and not place.quick:
        return np.load(file).astype(np.float32)
    n_pictures = len(pictures.labels)
    pooled = np.empty((n_pictures, 21 * len(coder.atoms)), np.float16)
    batch = 16
    put = pooling.pool_counts if name == "words" else pooling.pool
    for first in range(0, n_pictures, batch):
        last = min(first + batch, n_pictures)
        rows = slice(pictures.first[first], pictures.first[last])
        codes, places = coder.code(name, pictures.samples(rows)), pictures.places[rows]
        for picture in range(first, last):
            mine = slice(pictures.first[picture] - rows.start, pictures.first[picture + 1] - rows.start)
            pooled[picture] = put(codes[mine], places[mine])
    np.save(file, pooled)
    return pooled.astype(np.float32)


def tasks_of(pictures):
    """{name: numbers of its classes}: the paper's kind of pair, harder ones, and all classes at once."""
    number = {name: index for index, name in enumerate(pictures.classes)}
    tasks = {" / ".join(pair): [number[name] for name in pair] for pair in PAIRS if all(name in number for name in pair)}
    if len(number) > 2 or not tasks:
        tasks[f"all {len(number)} classes"] = list(number.values())
    return tasks


def seconds_per_picture(coder, name, pictures, n):
    """(coding, pooling) seconds of one thread for a picture, the best of three rounds over the same pictures."""
    chosen = np.linspace(0, len(pictures.labels) - 1, n).astype(int)
    samples = [pictures.samples(pictures.rows(picture)) for picture in chosen]
    places = [pictures.places[pictures.rows(picture)] for picture in chosen]
    room = np.empty((max(map(len, samples)), len(coder.atoms)), np.float32)
    threads, coder.threads = coder.threads, 1
    rounds = []
    with threadpool_limits(1):
        for _ in range(3):
            spent = np.zeros(2)
            for one, where in zip(samples, places):
                started = time.process_time()
                codes = coder.code(name, one, room[:len(one)])
                coded = time.process_time()
                pooling.pool(codes, where)
                spent += coded - started, time.process_time() - coded
            rounds.append(spent / n)
    coder.threads = threads
    return np.min(rounds, axis=0)


def evaluate(place, sizes, folder):
    pictures = pictures_of(place, folder, sizes)
    model, samples = learn(place, pictures, sizes)
    coder = coders.Coders(model, samples, threads=2)
    names = [name for name in coders.CODERS if name != "spams" or is_there("spams")]
    if "spams" not in names:
        place.say("SPAMS is not there: its l1 coder is left out")
    held_out = pictures.samples(np.random.default_rng(1).choice(len(pictures.raw), min(5000, len(pictures.raw)), False))
    found = {
        "pictures": len(pictures.labels), "classes": dict(zip(pictures.classes, np.bincount(pictures.labels))),
        "descriptors_per_picture": pictures.counts.mean(), "atoms": model.n_atoms, "training_descriptors": len(samples),
        "tau": model.tau, "eta": coders.ETA, "lambda": coders.LAMBDA,
        "training_pictures_per_class": sizes["training"], "splits": sizes["splits"],
        "seconds": {"descriptors": pictures.seconds}, "coders": {},
    }
    for name in names:
        codes = coder.code(name, held_out)
        entry = {"what": coders.CODERS[name], "nonzeros": float((codes != 0).sum(axis=1).mean())}
        entry["seconds_coding"], entry["seconds_pooling"] = seconds_per_picture(coder, name, pictures, sizes["timed"])
        features = pooled_features(place, coder, name, pictures)
        entry["tasks"] = tasks_by(features, pictures, sizes)
        place.say(f"{name}: " + ", ".join(f"{task} {row['accuracy']:.4f}" for task, row in entry["tasks"].items()))
        found["coders"][name] = entry
        results.save(place, found)
    return found


def tasks_by(features, pictures, sizes):
    """{task: accuracies} of one way of coding."""
    gram = (features @ features.T).astype(np.float64)
    rows = {}
    for task, numbers in tasks_of(pictures).items():
        mine = np.isin(pictures.labels, numbers)
        rows[task] = classify.accuracies(gram[np.ix_(mine, mine)], pictures.labels[mine], sizes["training"], sizes["splits"])
    return rows


def main():
    arguments = start.parser(NAME, __doc__)
    arguments.add_argument("--folder", type=pathlib.Path, help="any folder of class folders in place of Caltech-101")
    arguments = arguments.parse_args()
    place = start.place(NAME, arguments)
    if not place.redraw:
        evaluate(place, QUICK if place.quick else FULL, arguments.folder)
    figures.draw(place, results.load(place))


if __name__ == "__main__":
    main()
