# SPDX-License-Identifier: BSD-3-Clause
"""Files made to do harm, each with the verdict that it must get."""

import gzip
import io
import itertools
import json
import re
import struct
import subprocess
import tempfile
import zipfile
from collections import namedtuple

import numpy as np
import seeds

# how: "matrix", "image" or "model"; code: the exit code; word: what the message must hold.
Case = namedtuple("Case", "name how content code word")

SIZES = [0, 1, -1, 2**31, 2**32, 2**63, 2**64 - 1]


def npy_text(text, data=b"\0" * 144, version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def npy_with(shape, descr="'<f4'", order="False", data=b"\0" * 144):
    return npy_text(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n", data)


def npy_cases():
    for size in SIZES:
        yield f"rows {size}", npy_with(f"({size}, 3)"), 3, ""
        yield f"columns {size}", npy_with(f"(12, {size})"), 3, ""
        yield f"rows {size}, Fortran order", npy_with(f"({size}, 3)", order="True"), 3, ""
    for shape in ((2**32, 2**32), (2**63, 2), (2**62, 4), (2**33, 2**31, 2), (2**16,) * 4, (2**64, 1), (1,) * 1000):
        yield f"product {shape[:4]}", npy_with(shape), 3, ""
    for shape in ("()", "(36,)", "3", "(12, 3", "(12; 3)", "(1e1, 3)", "('a', 3)", "(12, 3,, )", "(12, 0)"):
        yield f"shape {shape}", npy_with(shape), 3, ""
    for descr in ("'O'", "'|O8'", "'<c8'", "'<M8[ns]'", "'V8'", "'<U4'", "''", "[('a', '<f4')]", "'<f16'", "7"):
        yield f"dtype {descr}", npy_with("(12, 3)", descr), 3, "dtype" if "O" in descr else ""
    for length in (0, 1, 65534, 65535):
        yield f"header length {length}", b"\x93NUMPY\1\0" + struct.pack("<H", length) + b"{" * 200, 3, ""
    for length in (0, 1, 2**31, 2**32 - 1, 65537):
        yield f"header length {length} of version 2", b"\x93NUMPY\2\0" + struct.pack("<I", length) + b"{" * 200, 3, ""
    for version in (0, 4, 255):
        yield f"version {version}", npy_text("{}", version=version)[:200], 3, "version"
    good = "'descr': '<f4', 'fortran_order': False, 'shape': (12, 3)"
    for text in ("{", "{}", "[]", "{" + good, "{" + good + "} {}", "{" + good + ", " + good + "}", "{'descr': '<f4'}"):
        yield f"header {text[:30]}", npy_text(text), 3, "header"
    yield "one byte too many", npy_with("(12, 3)", data=b"\0" * 145), 3, "145"
    yield "one byte too few", npy_with("(12, 3)", data=b"\0" * 143), 3, "truncated"
    for name, bad in (("NaN", np.nan), ("Inf", np.inf), ("-Inf", -np.inf)):
        array = seeds.matrix()
        array[7, 1] = bad
        yield f"{name} within", seeds.npy(array), 3, "row 7, column 1"


def idx_cases():
    for size in (0, 1, 2**31, 2**32 - 1):
        for place in range(3):
            dims = [12, 2, 3]
            dims[place] = size
            yield f"dimension {place} of {size}", seeds.idx(dims, data=b"\1" * 72), 3, ""
    yield "dimensions that wrap", seeds.idx([2**32 - 1] * 4, data=b"\1" * 72), 3, ""
    yield "255 dimensions", b"\0\0\x08\xff" + b"\0\0\0\1" * 20, 3, ""
    yield "labels", seeds.idx([72], data=b"\1" * 72), 3, "labels"
    yield "one byte too many", seeds.idx() + b"\0", 3, "declares"
    for name, content in (
        ("bomb", gzip.compress(seeds.idx([2**20, 2**10], data=b"\0" * 2**22))),
        ("more than declared", gzip.compress(seeds.idx() + b"\0" * 100000)),
        ("huge declaration", gzip.compress(seeds.idx([2**31, 2**20], data=b""))),
        ("not IDX", gzip.compress(b"hello")),
        ("cut", gzip.compress(seeds.idx())[:-9]),
        ("wrong checksum", gzip.compress(seeds.idx())[:-8] + b"\0" * 8),
        ("garbage after it", gzip.compress(seeds.idx()) + b"garbage"),
        ("empty", gzip.compress(b"")),
        ("header only", b"\x1f\x8b\x08\0\0\0\0\0\0\3"),
    ):
        yield f"gz: {name}", content, 3, ""


def zip_of(name, content, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, content)
    return bytearray(out.getvalue())


def npz_cases():
    good = zip_of("X.npy", seeds.npy(seeds.matrix()))
    packed = zip_of("X.npy", seeds.npy(seeds.matrix()), zipfile.ZIP_DEFLATED)
    entry = good.index(b"PK\1\2")
    end = good.index(b"PK\5\6")
    for value in (0, 1, 2**31, 2**32 - 1):
        for at, field in ((20, "compressed size"), (24, "size"), (42, "offset")):
            if field == "offset" and value == 0:
                continue
            for archive, kind in ((good, "stored"), (packed, "deflated")):
                content = bytearray(archive)
                struct.pack_into("<I", content, content.index(b"PK\1\2") + at, value)
                yield f"{kind}: {field} {value}", bytes(content), 3, ""
        for at, field in ((12, "directory size"), (16, "directory offset")):
            content = bytearray(good)
            struct.pack_into("<I", content, end + at, value)
            yield f"{field} {value}", bytes(content), 3, ""
    for at, value, name in ((8, 1, "encrypted"), (10, 12, "method 12"), (28, 65535, "long name"), (16, 7, "checksum")):
        content = bytearray(good)
        struct.pack_into("<H", content, entry + at, value)
        yield name, bytes(content), 3, ""
    yield "no array", bytes(zip_of("readme.txt", b"hello")), 3, ""
    yield "a pickle", bytes(zip_of("X.npy", npy_with("(12, 3)", "'O'"))), 3, "objects"
    yield "two arrays without a name", seeds.npz(a=seeds.matrix(), b=seeds.matrix()), 3, "arrays"
    yield "bomb", bytes(zip_of("X.npy", npy_with(f"(1, {2**60})", data=b"\0" * 2**20), zipfile.ZIP_DEFLATED)), 3, ""
    for name, change in (
        ("indptr", np.array([0, -1] + [0] * 11)),
        ("indptr", np.arange(13)[::-1]),
        ("indptr", np.arange(3)),
        ("indices", np.array([99])),
        ("indices", np.array([2**40])),
        ("indices", np.array([-1])),
        ("shape", np.array([12])),
        ("shape", np.array([2**62, 2**62])),
        ("shape", np.array([12, 2**31])),
        ("format", np.array(b"csc")),
    ):
        arrays = dict(data=np.ones(1), indices=np.zeros(1, int), indptr=np.array([0] + [1] * 12))
        arrays |= dict(shape=np.array([12, 3]), format=np.array(b"csr"))
        arrays[name] = change
        yield f"CSR with {name} {change.tolist()}", seeds.npz(**arrays), 3, ""


def csv_cases():
    for name, content in (
        ("ragged", b"1,2\n3\n"),
        ("text", b"1,2\n3,x\n"),
        ("only a header", b"a,b\n"),
        ("empty field", b"1,,2\n1,2,3\n"),
        ("out of range", b"1,1e999\n"),
        ("NaN", b"1,nan\n"),
        ("infinite", b"1,-inf\n"),
        ("blank", b"\n\n\n"),
        ("hexadecimal", b"0x1,2\n1,2\n"),
        ("decimal comma", b"1,5;2,5\n"),
        ("zero byte later", b"1,2\n" * 200 + b"1,\0\n"),
        ("one field of 1 MB", b"1" * 2**20 + b"x,2\n"),
        ("ragged at the end", b"1,2\n" * 10000 + b"1\n"),
    ):
        yield name, content, 3, ""
    yield "a million fields on one line", b",".join([b"1"] * 1000000) + b"\n" + b"1\n", 3, "columns"


def image_cases():
    rows = b"\0" * 64
    for size in (0, 2**31 - 1, 2**31, 2**32 - 1, 65535):
        yield f"PNG {size} wide", seeds.png(width=size, rows=rows), 3, ""
        yield f"PNG {size} high", seeds.png(height=size, rows=rows), 3, ""
    yield "PNG bomb", seeds.png(16000, 16000, 1, rows=b"\0" * 2001 * 100), 3, ""
    yield "PNG of depth 3", seeds.png(depth=3, rows=rows), 3, ""
    yield "PNG of colour 5", seeds.png(colour=5, rows=rows), 3, ""
    yield "PNG with a wrong checksum", seeds.png().replace(b"IDAT", b"IDAX"), 3, ""
    yield "PNG without its end", seeds.png()[:-12], 3, ""
    yield "JPEG without its start", bytes(2) + seeds.GREY_JPEG[2:], 3, ""
    frame = seeds.GREY_JPEG.index(b"\xff\xc0")
    for size in (0, 65535):
        for at, name in ((5, "height"), (7, "width")):
            content = bytearray(seeds.GREY_JPEG)
            struct.pack_into(">H", content, frame + at, size)
            yield f"JPEG of {name} {size}", bytes(content), 3, ""
    yield "JPEG cut", seeds.GREY_JPEG[:-20], 3, ""
    for size in ("0", "-1", "2147483648", "4294967296", "18446744073709551615", "9" * 100, "x"):
        yield f"PGM {size} wide", seeds.pgm(width=size), 3, ""
        yield f"PGM {size} high", seeds.pgm(height=size), 3, ""
    for largest in (0, 65536, -1):
        yield f"PGM of maximum {largest}", seeds.pgm(largest=largest), 3, ""
    yield "PGM with a value above its maximum", seeds.pgm(largest=5), 3, ""
    yield "PBM", b"P4 4 3\n" + bytes(3), 3, ""
    yield "text", b"no image at all", 3, ""


def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor_cases(model):
    one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for length in (0, 1, 2**31, 2**32, 2**63, 2**64 - 1, 100_000_001):
        yield f"header length {length}", safetensors({"a": one}, b"\0" * 8, length), 3, ""
    for name, header in (
        ("overlap", {"a": one, "b": one}),
        ("hole", {"a": {**one, "data_offsets": [8, 16]}}),
        ("backwards", {"a": {**one, "data_offsets": [8, 0]}}),
        ("beyond the end", {"a": {**one, "shape": [2**20], "data_offsets": [0, 2**22]}}),
        ("negative", {"a": {**one, "shape": [-2]}}),
        ("a fraction", {"a": {**one, "shape": [2.0]}}),
        ("a wrapping product", {"a": {**one, "shape": [2**32, 2**32]}}),
        ("a size of 2^64", {"a": {**one, "shape": [2**64]}}),
        ("unknown dtype", {"a": {**one, "dtype": "I64"}}),
        ("no dtype", {"a": {"shape": [2], "data_offsets": [0, 8]}}),
        ("one field too many", {"a": {**one, "more": 1}}),
        ("metadata that are no strings", {"__metadata__": {"a": 1}, "a": one}),
        ("metadata that are a list", {"__metadata__": [], "a": one}),
        ("a list", [1, 2]),
        ("deep nesting", b"{" + b'"a":{' * 1000 + b"}" * 1001),
        ("a key twice", b'{"a":%s,"a":%s}' % ((json.dumps(one).encode(),) * 2)),
        ("no JSON", b"{this is not JSON}"),
        ("a zero byte", b'{"a\0":1}'),
        ("a huge number", b'{"a":1e999}'),
        ("no model", {"a": one}),
    ):
        yield name, safetensors(header, b"\0" * 8), 3, ""
    size = struct.unpack("<Q", model[:8])[0]
    header, data = json.loads(model[8 : 8 + size]), model[8 + size :]
    for key, value in (("schema", "999"), ("schema", "0"), ("schema", "x"), ("format", "other"), ("checksum", "no")):
        changed = json.loads(json.dumps(header))
        changed["__metadata__"][key] = value
        yield f"model with {key} {value}", safetensors(changed, data), 3, "upgrade" if value == "999" else key


def add_tensor(n_bytes):
    """A change of a header and its data: one tensor more."""

    def change(header):
        end = max(tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__")
        header["more"] = {"dtype": "F32", "shape": [n_bytes // 4], "data_offsets": [end, end + n_bytes]}
        return bytes(n_bytes)

    return change


def model_with(command, model, change_header=lambda header: b"", change_description=lambda text: text):
    """The model with a header and a description of one's choice, and the checksum that the command asks for."""
    size = struct.unpack("<Q", model[:8])[0]
    header = json.loads(model[8 : 8 + size])
    metadata = header["__metadata__"]
    metadata["description"] = change_description(metadata["description"])
    more = change_header(header) or b""
    for _ in range(2):
        content = safetensors(header, model[8 + size :] + more)
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            said = subprocess.run([command, "info", file.name], capture_output=True, text=True, timeout=60).stderr
        found = re.search(r"the content gives '([^']+)'", said)
        if not found:
            break
        metadata["checksum"] = found[1]
    return content


def costly_cases(command, model):
    """Up to 20 MB that ask for much more time or memory than their size."""

    def description(more):
        return lambda text: text[:-1] + more + "}"

    def keys(n):
        return description("".join(f',"unknown{i}":0' for i in range(n)))

    def described(change):
        return model_with(command, model, change_description=change)

    def empty_tensors(header, n):
        size = max(tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__")
        for i in range(n):
            header[f"t{i}"] = {"dtype": "F32", "shape": [0], "data_offsets": [size, size]}

    yield "60,000 unknown keys", described(keys(60000)), 0, ""
    yield "200,000 unknown keys", described(keys(200000)), 3, "description"
    yield "brackets in the description", described(description(',"x":' + "[" * 500000 + "]" * 500000)), 3, "deep"
    yield "uses of no atom", described(description(',"usage2":[' + "0," * 450000 + "0]")), 0, ""
    yield "a description of 5 MB", described(lambda text: text + " " * 5_000_000), 3, "bytes long"
    yield "a description of 19 MB", described(lambda text: text + " " * 19_000_000), 3, "header"
    yield "100,000 empty tensors", model_with(command, model, lambda header: empty_tensors(header, 100000)), 3, "tensors"
    yield "9,000 empty tensors", model_with(command, model, lambda header: empty_tensors(header, 9000)), 0, ""
    for name, header in (
        ("brackets", b'{"a":' + b"[" * 19_000_000),
        ("braces", b'{"a":' * 3_000_000),
        ("brackets in metadata", b'{"__metadata__":{"a":' + b"[" * 19_000_000),
        ("a dimension a byte", b'{"a":{"shape":[' + b"1," * 9_000_000 + b'1],"dtype":"F32","data_offsets":[0,4]}}'),
        ("a key of 19 MB", b'{"' + b"a" * 19_000_000 + b'":0}'),
        ("a number of 19 MB", b'{"a":{"shape":[' + b"1" * 19_000_000 + b"]}}"),
        ("a million metadata", b'{"__metadata__":{' + b",".join(b'"%d":""' % i for i in range(1_000_000)) + b"}}"),
        ("a million keys", b"{" + b",".join(b'"%d":0' % i for i in range(1_000_000)) + b"}"),
        ("escapes", b'{"' + b"\\u0041" * 3_000_000 + b'":0}'),
    ):
        yield name, safetensors(header, b"\0" * 8), 3, ""


def sources(command):
    """(how, name, valid content, hostile cases) of each format."""
    model = seeds.made_by(command)
    return [
        ("matrix", "npy", seeds.npy(seeds.matrix()), npy_cases()),
        ("matrix", "idx", seeds.idx(), idx_cases()),
        ("matrix", "npz", seeds.npz(X=seeds.matrix()), npz_cases()),
        ("matrix", "csv", seeds.csv(), csv_cases()),
        ("image", "image", seeds.png(), image_cases()),
        ("model", "model", model, itertools.chain(tensor_cases(model), costly_cases(command, model))),
    ]


def all_cases(command, truncation_stride=1):
    cases = []
    for how, kind, valid, hostile in sources(command):
        cases.append(Case(f"{kind}: valid", how, valid, 0, ""))
        cases += [Case(f"{kind}: {name}", how, content, code, word) for name, content, code, word in hostile]
        # A text may end at any line and be whole.
        for size in range(0, min(512, len(valid)) if kind != "csv" else 1, truncation_stride):
            cases.append(Case(f"{kind}: cut at {size}", how, valid[:size], 3, ""))
    return cases
