#include "simulate/mpi/mpi_connection.hpp"

// The C interface only: the C++ one is gone from the standard.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <list>
#include <thread>
#include <utility>

#include "epsfree/error.hpp"

namespace epsfree {

struct MpiConnection::Outbox {
  struct Parcel {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::list<Parcel> parcels;  // whose addresses must not change
};

MpiConnection::MpiConnection() : outbox_(new Outbox) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    delete outbox_;
    throw Error(ErrorKind::usage,
                "this MPI does not allow a program to have threads (MPI_THREAD_FUNNELED)");
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiConnection::~MpiConnection() {
  while (!outbox_->parcels.empty()) {
    reap();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  delete outbox_;
  MPI_Finalize();
}

void MpiConnection::send(int rank, MessageKind kind, std::string bytes) {
  Outbox::Parcel& parcel = outbox_->parcels.emplace_back();
  parcel.bytes = std::move(bytes);
  MPI_Isend(parcel.bytes.data(), static_cast<int>(parcel.bytes.size()), MPI_BYTE, rank,
            static_cast<int>(kind), MPI_COMM_WORLD, &parcel.request);
}

void MpiConnection::reap() {
  for (auto at = outbox_->parcels.begin(); at != outbox_->parcels.end();) {
    int taken = 0;
    MPI_Test(&at->request, &taken, MPI_STATUS_IGNORE);
    at = taken != 0 ? outbox_->parcels.erase(at) : std::next(at);
  }
}

std::optional<Message> MpiConnection::receive() {
  reap();
  int waiting = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, &status);
  if (waiting == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Message message{.rank = status.MPI_SOURCE,
                  .kind = static_cast<MessageKind>(status.MPI_TAG),
                  .bytes = std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

}  // namespace epsfree
