// SPDX-License-Identifier: BSD-3-Clause
// The processes that mpirun or srun started, as a communicator. In a library of its own, dualdict::mpi, so that
// nothing else needs MPI.
#pragma once

#include <memory>

#include "dualdict/communicator.h"
#include "dualdict/export.h"

namespace dualdict {

// All processes of MPI_COMM_WORLD. Starts MPI if the program has not, and then ends it with the communicator. Use it
// from the thread that made it. Throws Error(kRank) when MPI cannot be started.
DUALDICT_API std::unique_ptr<Communicator> make_mpi_communicator();

}  // namespace dualdict

// The same for a program that loads the library at run time; the caller deletes the result.
extern "C" DUALDICT_API dualdict::Communicator* dualdict_make_mpi_communicator();
