# SPDX-License-Identifier: BSD-3-Clause
"""P34: breaks one check at a time and sees whether the tests notice: mutants.py BUILD [FIRST [LAST]]

Each mutant is a text of a source file and what it becomes. It is built in BUILD, a build folder of its own, and the tests
named for its file are run. Prints a table; exit 1 when more than two survive. The sources are put back.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IO, MODEL, LEARN = "io_test|image_test", "model_test|golden_test", "checkpoint_test"

MUTANTS = [
    ("src/io/bytes/byte_source.cc", "offset <= size && count <= size - offset", "offset <= size", IO),
    ("src/io/bytes/input_error.cc", "return std::nullopt", "return 0", IO),
    ("src/io/matrix/npy_header.cc", "if (length > kMaxNpyHeaderLength)", "if (false)", IO),
    ("src/io/matrix/npy_header.cc", "major < 1 || major > 3 || minor != 0", "major < 1", IO),
    ("src/io/matrix/npy_header.cc", 'key == "descr" && !format', 'key == "descr"', IO),
    ("src/io/matrix/npy_header.cc", "  literal.expect_end();\n", "", IO),
    ("src/io/matrix/npy_header.cc", "return {known->scalar, order == '>'};", "return {known->scalar, false};", IO),
    ("src/io/matrix/npy_reader.cc", "if (present != needed)", "if (present < needed)", IO),
    ("src/io/matrix/npy_reader.cc", "if (!header.fortran_order)", "if (true)", IO),
    ("src/io/matrix/matrix_file.cc", "if (dims.size() < 2)", "if (dims.empty())", IO),
    ("src/io/matrix/matrix_file.cc", "if (std::find(dims.begin(), dims.end(), 0U) != dims.end())", "if (false)", IO),
    ("src/io/matrix/matrix_file.cc", "!bytes || *bytes > (std::uint64_t{1} << 62)", "!bytes", IO),
    ("src/io/matrix/matrix_file.cc", "first > info_.rows || rows > info_.rows - first", "first > info_.rows", IO),
    ("src/io/matrix/idx_reader.cc", "if (present != header.data_size)", "if (present < header.data_size)", IO),
    ("src/io/matrix/idx_reader.cc", "header.data_size / kMaxDeflateRatio > bytes->size()", "false", IO),
    ("src/io/matrix/idx_reader.cc", "if (dims.size() == 1)", "if (false)", IO),
    ("src/io/bytes/inflater.cc", "if (read(std::span(&extra, 1)) != 0) state_->fail(\"hold more than declared\");", "", IO),
    ("src/io/bytes/inflater.cc", 'if (status == Z_BUF_ERROR && starved) fail("end too early");', "", IO),
    ("src/io/zip/zip_reader.cc", "if (crc != member.crc)", "if (false)", IO),
    ("src/io/zip/zip_reader.cc", "(member.flags & 1U) != 0", "false", IO),
    ("src/io/zip/zip_reader.cc", "if (member.size != member.compressed_size)", "if (false)", IO),
    ("src/io/matrix/csr_reader.cc", "!std::is_sorted(starts.begin(), starts.end())", "false", IO),
    ("src/io/matrix/csr_reader.cc", "if (value < 0)", "if (false)", IO),
    ("src/io/matrix/csr_reader.cc", "column >= info.cols", "column > info.cols", IO),
    ("src/io/matrix/csr_reader.cc", "if (starts.size() != info.rows + 1)", "if (false)", IO),
    ("src/io/matrix/csv_reader.cc", "if (column != n_cols_)", "if (false)", IO),
    ("src/io/matrix/csv_reader.cc", "for (std::size_t skip = first % kIndexedRows;", "for (std::size_t skip = 0;", IO),
    ("src/io/matrix/csv_reader.cc", "result.ptr != end", "false", IO),
    ("src/io/image/image_decode.h", "if (width > kMaxImagePixels / height)", "if (false)", IO),
    ("src/io/image/image_decode.h", "width == 0 || height == 0", "width == 0", IO),
    ("src/io/image/image_pnm.cc", "if (present < needed)", "if (false)", IO),
    ("src/io/image/image_pnm.cc", "if (value > max_value_)", "if (false)", IO),
    ("src/io/image/image_jpeg.cc", "input_scan_number <= kMaxScans", "input_scan_number <= 1000000", IO),
    ("src/io/tensors/safetensors.cc", "if (length > kMaxHeaderLength)", "if (false)", IO),
    ("src/io/tensors/safetensors.cc", "if (entry.begin != expected)", "if (entry.begin > expected)", IO),
    ("src/io/tensors/safetensors.cc", "if (expected != data_size)", "if (expected > data_size)", IO),
    ("src/io/tensors/safetensors.cc", "if (depth > kMaxDepth)", "if (false)", IO),
    ("src/io/tensors/safetensors.cc", "offsets.size() != 2 || offsets[0] > offsets[1]", "offsets.size() != 2", IO),
    ("src/io/tensors/safetensors.cc", "!needed || *needed != result.end - result.begin", "!needed", IO),
    ("src/io/bytes/durable_file.cc", "if (written < 0) return errno;", "if (written < 0) return 0;", IO),
    ("src/io/bytes/durable_file.cc", "old.st_mode & 07777", "0600", IO),
    ("src/io/bytes/durable_file.cc", "if (exists) target_ = resolve_links(path);", "", IO),
    ("src/io/bytes/hidden_file.cc", "if (lock_file(descriptor) == 0 && is_named", "if (is_named", IO),
    ("src/io/bytes/output_lock.cc", "if (error == EWOULDBLOCK)", "if (false)", IO),
    ("src/model/file/model_file.cc", "if (stored != found)", "if (false)", MODEL),
    ("src/model/file/model_file.cc", "if (number > kModelSchema)", "if (false)", MODEL),
    ("src/model/file/model_file.cc", "if (!(std::sqrt(squared) <= limit))", "if (false)", MODEL),
    ("src/model/file/model_file.cc", "if (tensor->dtype != dtype)", "if (false)", MODEL),
    ("src/learn/saved/checkpoint_header.cc", "if (stored != found)", "if (false)", LEARN),
    ("src/learn/saved/checkpoint.cc", "if (!differences.empty())", "if (false)", LEARN),
    ("src/learn/saved/checkpoint.cc", "if (!options_.resume)", "if (false)", LEARN),
    ("src/learn/samples/code_store.cc", "dense(i, j) = rows(i, j) + T{0};", "dense(i, j) = rows(i, j);", LEARN),
    ("src/learn/saved/code_tensors.cc", "if (count > columns.size() - next)", "if (false)", LEARN),
    ("src/learn/saved/fit_file.cc", '  archive.counts("atoms.replaced", state.atoms.replaced);\n', "", LEARN),
    ("src/learn/saved/fit_file.cc", '  archive.number("extrapolation.weight", lead.weight);\n', "", LEARN),
    ("src/learn/saved/fit_file.cc", '    archive.number("tau_search.last_log_tau", search.last_log_tau);\n', "", LEARN),
    ("src/learn/saved/fit_file.cc", '  archive.flag("accurate", state.accurate);\n', "", LEARN),
]


def survives(build, tests):
    """Whether the mutant passes all tests; one that does not compile is no mutant."""
    built = subprocess.run(["cmake", "--build", build, "-j2", "--target", "unit_tests"], capture_output=True, text=True)
    if built.returncode != 0:
        raise RuntimeError("does not compile: " + built.stdout[-500:])
    run = ["ctest", "--test-dir", build, "-R", f"^({tests})$", "--no-tests=error", "--timeout", "60"]
    return subprocess.run(run, capture_output=True).returncode == 0


def main():
    build = Path(sys.argv[1]).resolve()
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    last = int(sys.argv[3]) if len(sys.argv) > 3 else len(MUTANTS)
    survivors = []
    began = time.monotonic()
    for number, (name, text, other, tests) in list(enumerate(MUTANTS))[first:last]:
        path = ROOT / name
        source = path.read_text(encoding="utf-8")
        if text not in source:
            raise SystemExit(f"mutant {number}: {name} does not hold {text!r}")
        path.write_text(source.replace(text, other, 1), encoding="utf-8")
        try:
            alive = survives(build, tests)
        finally:
            path.write_text(source, encoding="utf-8")
        print(f"{number} {'SURVIVED' if alive else 'killed'} {name}: {text[:60]!r}", flush=True)
        if alive:
            survivors.append(number)
    print(f"| P34 | mutants of checks killed | {last - first} | {len(survivors)} | {time.monotonic() - began:.0f} |")
    return 1 if len(survivors) > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
