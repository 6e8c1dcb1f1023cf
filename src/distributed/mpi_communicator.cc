// SPDX-License-Identifier: BSD-3-Clause
// The only file that sees mpi.h.
#include <mpi.h>

#include <algorithm>
#include <string>

#include "dualdict/error.h"
#include "dualdict/mpi.h"

namespace dualdict {
namespace {

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(ErrorKind::kRank, std::string("MPI: ") + what + " failed: " + text +
                                    "; another process of the job may be gone: go on from the checkpoint");
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int is_there = 0;
    MPI_Initialized(&is_there);
    if (is_there == 0) {
      int provided = 0;
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "the start");
      ends_mpi_ = true;
    }
    // Our own messages never meet those of the program around us.
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "making a communicator");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
  }
  ~MpiCommunicator() override {
    MPI_Comm_free(&world_);
    if (ends_mpi_) MPI_Finalize();
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  void sum(std::span<double> values) override { reduce(values, MPI_SUM); }
  void max(std::span<double> values) override { reduce(values, MPI_MAX); }
  void abandon(int exit_code) noexcept override { MPI_Abort(world_, exit_code); }

 private:
  // MPI counts elements in an int; pieces of a fixed size also fix the order of the additions.
  void reduce(std::span<double> values, MPI_Op operation) {
    constexpr std::size_t kPiece = std::size_t{1} << 24;
    for (std::size_t first = 0; first < values.size(); first += kPiece) {
      const auto count = static_cast<int>(std::min(kPiece, values.size() - first));
      check(MPI_Allreduce(MPI_IN_PLACE, values.data() + first, count, MPI_DOUBLE, operation, world_), "a sum");
    }
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool ends_mpi_ = false;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator() {
  return std::make_unique<MpiCommunicator>();
}

}  // namespace dualdict

dualdict::Communicator* dualdict_make_mpi_communicator() {
  return dualdict::make_mpi_communicator().release();
}
