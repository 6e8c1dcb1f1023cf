# SPDX-License-Identifier: BSD-3-Clause
"""MNIST, the Berkeley images and Caltech-101: from DUALDICT_DATA, from build/data, or fetched from their homes."""
import gzip
import hashlib
import os
import pathlib
import shutil
import tarfile
import tempfile
import urllib.request
import zipfile

import numpy as np

from .start import ROOT

FETCHED = ROOT / "build" / "data"
TIMEOUT = 20

MNIST_HOME = "https://ossci-datasets.s3.amazonaws.com/mnist/"
# Of the unpacked files: a mirror may have packed them again.
MNIST_FILES = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}
BSDS_HOME = "https://www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/segbench/BSDS300-images.tgz"
BSDS_DIGEST = "377289330acb5d10ee06d5b66ae3ce93d8279d46d994f24d54de44f8870afd0a"
CALTECH_HOME = "https://data.caltech.edu/records/mzrjq-6wc02/files/caltech-101.zip"
CALTECH_CLASSES = ("Faces", "Leopards", "Motorbikes", "airplanes", "bonsai", "car_side", "chandelier", "hawksbill", "ketch",
                   "watch")
CALTECH_DIGEST = "7a43d27f539a31a303dedea0a0d2eb7bdd378d3fbd7fcf7291c41d60ce1933ce"


class Missing(Exception):
    """Data that are not there and could not be fetched; the text says what to do."""


def folders(name):
    given = os.environ.get("DUALDICT_DATA")
    return [pathlib.Path(base) / name for base in (given, FETCHED) if base]


def digest(folder, files):
    """One SHA-256 of the names and contents of the files, in order."""
    total = hashlib.sha256()
    for file in sorted(files):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
    return total.hexdigest()


def fetch(address, file):
    """Downloads into a file, unless DUALDICT_OFFLINE is set."""
    if os.environ.get("DUALDICT_OFFLINE"):
        raise OSError("DUALDICT_OFFLINE is set")
    with urllib.request.urlopen(address, timeout=TIMEOUT) as source, open(file, "wb") as target:
        shutil.copyfileobj(source, target)


def missing(what, folder, address, reason):
    return Missing(f"{what} is not there: set DUALDICT_DATA to a folder with {folder}. "
                   f"It could not be fetched from {address}: {reason}")


def idx(folder, name):
    """The content of an IDX file, plain or packed, or None."""
    plain, packed = folder / name, folder / f"{name}.gz"
    if plain.exists():
        return plain.read_bytes()
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None


def fetch_mnist():
    folder = FETCHED / "mnist"
    folder.mkdir(parents=True, exist_ok=True)
    for name, wanted in MNIST_FILES.items():
        with tempfile.TemporaryDirectory() as work:
            packed = pathlib.Path(work) / "file.gz"
            fetch(f"{MNIST_HOME}{name}.gz", packed)
            content = gzip.decompress(packed.read_bytes())
        if hashlib.sha256(content).hexdigest() != wanted:
            raise OSError(f"{name} has another checksum than MNIST")
        (folder / name).write_bytes(content)
    return folder


def mnist_folder():
    for folder in folders("mnist"):
        if idx(folder, "train-images-idx3-ubyte") is not None:
            return folder
    try:
        return fetch_mnist()
    except OSError as problem:
        raise missing("MNIST", "mnist/", MNIST_HOME, problem) from None


def mnist(part="train"):
    """(digits of shape (n, 784) with values 0..1 in float32, labels)."""
    folder = mnist_folder()
    images = np.frombuffer(idx(folder, f"{part}-images-idx3-ubyte"), np.uint8, offset=16).reshape(-1, 784)
    labels = np.frombuffer(idx(folder, f"{part}-labels-idx1-ubyte"), np.uint8, offset=8)
    return images.astype(np.float32) / 255, labels.astype(int)


def small_digits():
    """The 1797 digits of 8 x 8 pixels that come with scikit-learn, for --quick."""
    from sklearn.datasets import load_digits
    small = load_digits()
    return (small.data / 16).astype(np.float32), small.target


def unpack(archive, target):
    """All files of a tar or zip archive, also of an archive inside it."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as content:
            content.extractall(target)
    else:
        with tarfile.open(archive) as content:
            content.extractall(target, filter="data")
    for inner in list(target.rglob("*.tar.gz")):
        with tarfile.open(inner) as content:
            content.extractall(inner.parent, filter="data")


def fetch_folders(address, wanted, name, expected):
    """Fetches an archive, finds the wanted folders in it, checks them and keeps them under build/data/NAME."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        fetch(address, work / "archive")
        (work / "content").mkdir()
        unpack(work / "archive", work / "content")
        chosen = work / name
        for folder in wanted:
            found = [path for path in (work / "content").rglob(folder) if path.is_dir() and list(path.glob("*.jpg"))]
            if not found:
                raise OSError(f"the archive has no folder {folder}")
            shutil.copytree(found[0], chosen / folder)
        if digest(chosen, chosen.rglob("*.jpg")) != expected:
            raise OSError("its pictures have another checksum than expected")
        FETCHED.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(FETCHED / name, ignore_errors=True)
        shutil.copytree(chosen, FETCHED / name)
    return FETCHED / name


def berkeley_folder():
    """The 200 training images of BSDS300."""
    for folder in folders("bsds"):
        if list((folder / "train").glob("*.jpg")):
            return folder / "train"
    try:
        return fetch_folders(BSDS_HOME, ["train"], "bsds", BSDS_DIGEST) / "train"
    except OSError as problem:
        raise missing("the Berkeley set", "bsds/train/*.jpg", BSDS_HOME, problem) from None


def caltech_folder():
    """Ten classes of Caltech-101 as class folders."""
    for folder in folders("caltech"):
        if folder.is_dir() and any(folder.iterdir()):
            return folder
    try:
        return fetch_folders(CALTECH_HOME, CALTECH_CLASSES, "caltech", CALTECH_DIGEST)
    except OSError as problem:
        raise missing("Caltech-101", "caltech/CLASS/*.jpg", CALTECH_HOME, problem) from None
