// What stands in for MPI where there is none.
#include "epsfree/error.hpp"
#include "epsfree/mpi.hpp"

namespace epsfree {

struct MpiProcess::Connection {};

bool mpi_is_built_in() { return false; }

MpiProcess::MpiProcess() {
  throw Error(ErrorKind::usage,
              "this epsfree was built without MPI; install an MPI (Debian: libopenmpi-dev) and "
              "build it again");
}
MpiProcess::~MpiProcess() = default;
int MpiProcess::rank() const { return 0; }
int MpiProcess::size() const { return 1; }
void MpiProcess::serve(const std::function<SimulatorPtr()>&, const RunnerOptions&) {}
std::unique_ptr<Runner> MpiProcess::runner(const RunnerOptions& options) {
  return std::make_unique<ThreadRunner>(options);
}

}  // namespace epsfree
