#include <array>
#include <cstdlib>

#include "epsfree/mpi.hpp"

namespace epsfree {

int num_launched_processes() {
  // Of Open MPI, of others that speak PMI, and of Slurm's srun. The last alone is also there in a
  // batch script, where it is 1.
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (const char* name : kVariables) {
    if (const char* text = std::getenv(name)) {
      const int count = std::atoi(text);
      if (count > 0) return count;
    }
  }
  const char* rank = std::getenv("PMIX_RANK");
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (rank != nullptr && tasks != nullptr && std::atoi(tasks) > 0) return std::atoi(tasks);
  return 1;
}

}  // namespace epsfree
