# SPDX-License-Identifier: BSD-3-Clause
"""The processes of an mpi4py communicator, as the learner sees them. mpi4py itself is the caller's."""

# As many numbers in one message as the command sends, so that they are added in the same order.
_PIECE = 1 << 24


class OtherRankRaised(RuntimeError):
    """Another process of the job has raised, and says why."""


class Ranks:
    """Sums over the processes of a communicator of mpi4py."""

    def __init__(self, communicator):
        from mpi4py import MPI

        self._mpi = MPI
        self._communicator = communicator.Dup()  # our messages never meet those of the program around us
        self.rank = communicator.Get_rank()
        self.size = communicator.Get_size()

    def sum(self, values):
        self._reduce(values, self._mpi.SUM)

    def max(self, values):
        self._reduce(values, self._mpi.MAX)

    def abandon(self, code):
        self._communicator.Abort(code)

    def _reduce(self, values, operation):
        for first in range(0, len(values), _PIECE):
            self._communicator.Allreduce(self._mpi.IN_PLACE, values[first:first + _PIECE], op=operation)

    def together(self, raised):
        """All processes call this with what each has raised, or None. When one has, it raises that, and all others
        OtherRankRaised."""
        where = self._communicator.allgather(None if raised is None else f"{type(raised).__name__}: {raised}")
        if raised is not None:
            raise raised
        for rank, text in enumerate(where):
            if text is not None:
                raise OtherRankRaised(f"rank {rank} of {self.size} raised {text}")

    def require_same(self, value):
        """All processes call this with what must be the same on all of them; else all raise."""
        values = self._communicator.allgather(value)
        for rank, other in enumerate(values):
            for name in sorted({*values[0], *other}):
                mine, theirs = values[0].get(name, "not given"), other.get(name, "not given")
                if mine != theirs:
                    raise ValueError(
                        f"{name}: {mine} on rank 0 and {theirs} on rank {rank}: all processes must learn with the same options "
                        "from samples of the same features"
                    )

    def close(self):
        self._communicator.Free()
