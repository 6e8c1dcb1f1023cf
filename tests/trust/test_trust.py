# SPDX-License-Identifier: BSD-3-Clause
"""The fast forms: a part of the cases of tests/trust/run, within a minute or two."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import faults  # noqa: E402
import hostile  # noqa: E402
import job_ranks  # noqa: E402
import streams  # noqa: E402

COMMAND = Path(os.environ["DUALDICT_COMMAND"])
LIBRARY = COMMAND.parent / "libfail_allocation.so"
SANITIZED = os.environ.get("DUALDICT_SANITIZE", "") != ""
needs_strace = pytest.mark.skipif(faults.missing("strace") is not None, reason="strace is not installed")
not_sanitized = pytest.mark.skipif(SANITIZED, reason="a sanitizer brings an allocator and an address space of its own")


def expect_none_failed(result, at_least):
    cases, failures = result
    if failures and failures[0].startswith("skipped"):
        pytest.skip(failures[0])
    assert not failures
    assert cases >= at_least


@not_sanitized
def test_hostile_files_get_their_verdict():
    expect_none_failed(hostile.hostile_set(COMMAND, 67), 150)


@not_sanitized
def test_endless_files_and_pipes():
    expect_none_failed(hostile.endless_and_piped(COMMAND), 7)


def test_files_cut_while_they_are_read():
    expect_none_failed(hostile.cut_while_read(COMMAND, 4), 4)


def test_flipped_bits_are_found():
    expect_none_failed(hostile.flipped_bits(COMMAND, 30, 10), 40)


@not_sanitized
def test_non_finite_numbers_are_refused():
    expect_none_failed(hostile.non_finite(COMMAND, [(5, 2)]), 36)


@needs_strace
@not_sanitized
def test_killed_at_a_call_of_a_save():
    expect_none_failed(faults.kill_at_every_call(COMMAND, 23), 8)


@needs_strace
@not_sanitized
def test_a_stream_killed_at_a_call_of_a_save():
    expect_none_failed(faults.kill_at_every_call(COMMAND, 43, faults.A_STREAM), 4)


@not_sanitized
def test_ranks_agree_on_a_stream():
    expect_none_failed(job_ranks.agree(COMMAND, 8, stream=True), 8)


@not_sanitized
def test_streaming_ranks_are_killed():
    expect_none_failed(job_ranks.kills(COMMAND, 2, stream=True), 2)


@needs_strace
@not_sanitized
def test_failing_calls_of_a_save():
    expect_none_failed(faults.fail_every_call(COMMAND, 11), 10)


@not_sanitized
def test_full_disks():
    expect_none_failed(faults.full_disk(COMMAND, (1, 3, 6, 64)), 4)


@not_sanitized
def test_failing_allocations():
    expect_none_failed(faults.fail_every_allocation(COMMAND, LIBRARY, 211), 20)


@not_sanitized
def test_limited_address_space():
    expect_none_failed(faults.limited_address_space(COMMAND, (16, 60, 300)), 3)


def test_signals():
    expect_none_failed(faults.signals(COMMAND, 3), 3)


def test_two_runs_on_one_output():
    expect_none_failed(faults.two_runs(COMMAND, 2), 2)


@not_sanitized
def test_streams_take_constant_memory():
    expect_none_failed(streams.constant_memory(COMMAND, (20000, 100000)), 10)


@not_sanitized
def test_learning_from_streams_takes_constant_memory():
    expect_none_failed(streams.learning_in_constant_memory(COMMAND, (20000, 60000)), 14)


def test_streams_that_are_cut_are_learned_from():
    expect_none_failed(streams.cut_streams(COMMAND, 8), 8)


@needs_strace
@not_sanitized
def test_writes_stay_in_place_and_no_socket_is_opened():
    expect_none_failed(faults.writes_and_sockets(COMMAND), 10)
