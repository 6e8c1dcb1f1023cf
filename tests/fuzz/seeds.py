# SPDX-License-Identifier: BSD-3-Clause
"""Small valid files of every format that is read, as bytes."""

import base64
import gzip
import io
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np
import scipy.sparse

GREY_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqm"
    "x5moq6T/wAALCAAIAAkBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAQT/xAAfEAACAQQCAwAAAAAAAAAAAAABAhEAAyExBBIFUZP/2gAIAQEAAD8A"
    "ba3OMqxcZGg91XWBEwBOmB2cmdZqzp472n0r/9k="
)
COLOUR_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqm"
    "x5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wgARCAAIAAkD"
    "ASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAED/8QAFQEBAQAAAAAAAAAAAAAAAAAAAQL/2gAMAwEAAhADEAAAAZoS/wD/xAAVEAEBAAAA"
    "AAAAAAAAAAAAAAAAEv/aAAgBAQABBQJT/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFxEAAwEAAAAAAAAAAAAAAAAAAAECEf/a"
    "AAgBAgEBPwFzp//EABUQAQEAAAAAAAAAAAAAAAAAABAh/9oACAEBAAY/Aof/xAAZEAACAwEAAAAAAAAAAAAAAAABEQAhYVH/2gAIAQEAAT8hZpiM"
    "yP2f/9oADAMBAAIAAwAAABAL/8QAFhEBAQEAAAAAAAAAAAAAAAAAAREA/9oACAEDAQE/EALN/8QAFhEAAwAAAAAAAAAAAAAAAAAAAAEx/9oACAEC"
    "AQE/EFUf/8QAGhAAAgMBAQAAAAAAAAAAAAAAASEAETFhkf/aAAgBAQABPxBlKItCgObjGTh8E//Z"
)


def matrix(dtype=np.float32):
    return (np.random.default_rng(1).standard_normal((12, 3)) * 10).astype(dtype)


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz(compressed=False, **arrays):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, **arrays)
    return out.getvalue()


def csr():
    out = io.BytesIO()
    scipy.sparse.save_npz(out, scipy.sparse.csr_matrix(np.where(matrix() > 5, matrix(), 0)))
    return out.getvalue()


def idx(dims=(12, 2, 3), code=0x08, data=None):
    n = int(np.prod(dims, dtype=object))
    data = bytes(i * 37 % 251 for i in range(n)) if data is None else data
    return bytes([0, 0, code, len(dims)]) + b"".join(struct.pack(">I", d) for d in dims) + data


def csv():
    return "\n".join(",".join(f"{x:.3f}" for x in row) for row in matrix()).encode() + b"\n"


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width=6, height=5, depth=8, colour=0, interlace=0, rows=None):
    if rows is None:
        channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
        rows = b"".join(
            b"\0" + bytes((x * 7 + y) % 256 for x in range(width * channels * depth // 8)) for y in range(height)
        )
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    chunks = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def pgm(width=4, height=3, largest=255, data=None):
    data = bytes(range(12)) if data is None else data
    return f"P5\n{width} {height}\n{largest}\n".encode() + data


def made_by(command, checkpoint=False, more=(), samples=None):
    """A model, or a checkpoint, that the command itself wrote from the samples, those of matrix() unless given."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        path.write_bytes(npy(matrix() if samples is None else samples))
        kept = ["--checkpoint", f"{folder}/c", "--penalty", "l1", "--nonzeros", "2"]
        more = kept if checkpoint else ["--tau", "0.1", *more]
        subprocess.run(
            [command, "learn", path, "-o", f"{folder}/m", "--atoms", "4", "--max-iterations", "3", "--quiet"]
            + ["--center-features", *more],
            check=True,
        )
        return (Path(folder) / ("c" if checkpoint else "m")).read_bytes()


def corpus(command):
    """Seeds of each fuzz target."""
    seeds = {
        "npy": [npy(matrix(t)) for t in ("<f4", ">f8", "<f2", "u1", "i2", "?", "<u8")]
        + [npy(np.asfortranarray(matrix())), npy(matrix().reshape(3, 4, 3))],
        "npz": [npz(X=matrix()), npz(compressed=True, X=matrix(), y=matrix()), csr()],
        "idx": [idx(), idx((12, 3), 0x0D, matrix().astype(">f4").tobytes())],
        "csv": [csv(), b"a;b\n1;2\n3;4e5\n", b"# note\n1 2 3\n4 5 6\n", b"1\t2\r\n-3\tnan\r\n"],
        "png": [png(), png(depth=16), png(colour=2), png(colour=6, depth=16), png(interlace=0, colour=4)],
        "jpeg": [GREY_JPEG, COLOUR_JPEG],
        "pnm": [pgm(), pgm(largest=65535, data=bytes(24)), b"P3 2 1 9\n1 2 3 4 5 6\n", b"P2 # c\n2 2 7\n1 2 3 4\n"],
        "model": [
            made_by(command),
            made_by(command, more=["--dtype", "float64", "--positive-codes", "--scale", "unit"]),
            made_by(command, more=["--mu", "0.1", "--eta", "1"], samples=matrix().reshape(4, 3, 3).repeat(30, 0)),
        ],
        "checkpoint": [made_by(command, checkpoint=True)],
    }
    seeds["any"] = [seeds[kind][0] for kind in ("npy", "npz", "idx", "csv", "png")] + [gzip.compress(idx(), mtime=0)]
    return seeds
