# SPDX-License-Identifier: BSD-3-Clause
"""Dense SIFT of the pictures of class folders: 16 x 16 patches every 8 pixels, kept in files once they are made."""
import dataclasses
import time

import numpy as np

PATCH, STEP, LONGEST_SIDE = 16, 8, 300
CLIP = 0.2
SUFFIXES = {".jpg", ".jpeg", ".png", ".pgm"}


@dataclasses.dataclass
class Pictures:
    """The descriptors of all pictures, one after the other. OpenCV gives whole numbers 0..255: they are kept as bytes."""
    labels: np.ndarray     # (pictures,), the class of each
    classes: list          # names
    counts: np.ndarray     # (pictures,), descriptors of each
    raw: np.ndarray        # (descriptors, 128), bytes
    places: np.ndarray     # (descriptors, 2), centre of the patch as a share of width and height
    seconds: float         # to describe one picture, mean, one thread

    def __post_init__(self):
        self.first = np.concatenate([[0], np.cumsum(self.counts)])

    def rows(self, picture):
        return slice(self.first[picture], self.first[picture + 1])

    def samples(self, rows):
        return normalised(self.raw[rows])


def normalised(raw):
    """L2, clip, L2. A descriptor of a flat patch stays zero."""
    samples = raw.astype(np.float32)
    for last in (False, True):
        norms = np.linalg.norm(samples, axis=1, keepdims=True)
        samples /= np.where(norms > 0, norms, 1)
        if not last:
            np.minimum(samples, CLIP, out=samples)
    return samples


def grey(file):
    import cv2
    picture = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise OSError(f"{file}: not a picture that OpenCV reads")
    longest = max(picture.shape)
    if longest > LONGEST_SIDE:
        height, width = (max(PATCH, round(side * LONGEST_SIDE / longest)) for side in picture.shape)
        picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return picture


def grid(length):
    """Centres of patches along a side, the rest of the side shared by both ends."""
    n = (length - PATCH) // STEP + 1
    rest = length - PATCH - (n - 1) * STEP
    return rest // 2 + PATCH / 2 - 0.5 + STEP * np.arange(n)


def describe(sift, picture):
    import cv2
    height, width = picture.shape
    rows, columns = grid(height), grid(width)
    # OpenCV's window is 6 sizes wide for 4 x 4 bins.
    size = PATCH / 6
    points = [cv2.KeyPoint(float(x), float(y), size, 0) for y in rows for x in columns]
    points, raw = sift.compute(picture, points)
    places = np.array([point.pt for point in points], np.float32) / (width, height)
    return raw.astype(np.uint8), places.astype(np.float32)


def files_of(folder, most):
    """(file, class number) of the pictures in class folders, in order; at most so many of a class."""
    classes = sorted(path.name for path in folder.iterdir() if path.is_dir())
    listed = []
    for number, name in enumerate(classes):
        files = sorted(file for file in (folder / name).iterdir() if file.suffix.lower() in SUFFIXES)
        listed += [(file, number) for file in files[:most]]
    if not listed:
        raise FileNotFoundError("no pictures in class folders: expected FOLDER/CLASS/*.jpg")
    return classes, listed


def extract(folder, most=None):
    import cv2
    cv2.setNumThreads(1)
    # As little blur before the gradients as ScSPM has.
    sift = cv2.SIFT_create(sigma=1.0)
    classes, listed = files_of(folder, most)
    raws, places = [], []
    started = time.process_time()
    for file, _ in listed:
        raw, where = describe(sift, grey(file))
        raws.append(raw)
        places.append(where)
    seconds = (time.process_time() - started) / len(listed)
    return Pictures(np.array([label for _, label in listed]), classes, np.array([len(raw) for raw in raws]),
                    np.concatenate(raws), np.concatenate(places), seconds)


def load_or_extract(folder, file, most=None):
    if file.exists():
        kept = np.load(file)
        return Pictures(kept["labels"], [str(name) for name in kept["classes"]], kept["counts"], kept["raw"], kept["places"],
                        float(kept["seconds"]))
    pictures = extract(folder, most)
    np.savez(file, labels=pictures.labels, classes=np.array(pictures.classes), counts=pictures.counts, raw=pictures.raw,
             places=pictures.places, seconds=pictures.seconds)
    return pictures
