#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>

#include "epsfree/error.hpp"
#include "epsfree/mpi.hpp"
#include "simulate/mpi/chunk_threads.hpp"
#include "simulate/mpi/mpi_connection.hpp"
#include "simulate/mpi/mpi_runner.hpp"

namespace epsfree {

struct MpiProcess::Connection {
  MpiConnection mpi;
};

bool mpi_is_built_in() { return true; }

MpiProcess::MpiProcess() : connection_(std::make_unique<Connection>()) {}

MpiProcess::~MpiProcess() {
  if (rank() != 0) return;
  for (int other = 1; other < size(); ++other) {
    connection_->mpi.send(other, MessageKind::finish);
  }
}

int MpiProcess::rank() const { return connection_->mpi.rank(); }
int MpiProcess::size() const { return connection_->mpi.size(); }

std::unique_ptr<Runner> MpiProcess::runner(const RunnerOptions& options) {
  return std::make_unique<MpiRunner>(connection_->mpi, options);
}

void MpiProcess::serve(const std::function<SimulatorPtr()>& make, const RunnerOptions& options) {
  MpiConnection& mpi = connection_->mpi;
  SimulatorPtr simulator;
  std::unique_ptr<ChunkThreads> threads;
  try {
    simulator = make();
    threads = std::make_unique<ChunkThreads>(*simulator, options);
    mpi.send(0, MessageKind::ready);
  } catch (const std::exception& error) {
    mpi.send(0, MessageKind::ready, error.what());
  }
  Pause pause;
  while (true) {
    bool any = false;
    while (const std::optional<Message> message = mpi.receive()) {
      any = true;
      if (message->kind == MessageKind::finish) return;
      if (threads == nullptr) continue;
      if (message->kind == MessageKind::work) {
        threads->submit(chunk_from_bytes(message->bytes));
      } else if (message->kind == MessageKind::abandon) {
        for (const ChunkOutcome& outcome : threads->abandon()) {
          mpi.send(0, MessageKind::outcome, to_bytes(outcome));
        }
        mpi.send(0, MessageKind::abandoned);
      }
    }
    while (threads != nullptr) {
      const std::optional<ChunkOutcome> outcome = threads->poll();
      if (!outcome) break;
      any = true;
      mpi.send(0, MessageKind::outcome, to_bytes(*outcome));
    }
    if (any) {
      pause.reset();
    } else if (threads != nullptr) {
      threads->wait(pause.next());
    } else {
      std::this_thread::sleep_for(pause.next());
    }
  }
}

}  // namespace epsfree
