#include "simulate/process/nursery.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "epsfree/error.hpp"
#include "epsfree/process_simulators.hpp"

namespace epsfree {
namespace {

[[noreturn]] void fail(const std::string& what) {
  const int error = errno;
  throw Error(ErrorKind::io, what + ": " + std::generic_category().message(error));
}

std::pair<Descriptor, Descriptor> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe to a simulator");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void set_nonblocking(const Descriptor& descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

std::pair<Descriptor, Descriptor> make_sockets(int flags) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0, ends) != 0) {
    fail("cannot make a socket to the process that starts simulators");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Strings that end with 0 and arrays of their offsets, as nursery_protocol.hpp says.
class Image {
 public:
  explicit Image(const SpawnRequest& request, const std::string& tag) {
    nursery::ImageHeader header{};
    bytes_.resize(sizeof(header));
    std::vector<std::string> environment = {tag};
    const auto is_replaced = [&](const std::string& entry) {
      const std::string name = entry.substr(0, entry.find('='));
      return entry.rfind(nursery::kTagVariable, 0) == 0 ||
             std::any_of(request.environment.begin(), request.environment.end(),
                         [&](const auto& added) { return added.first == name; });
    };
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (!is_replaced(*entry)) environment.emplace_back(*entry);
    }
    for (const auto& [name, value] : request.environment) environment.push_back(name + "=" + value);
    header.arguments = add_array(request.argv);
    header.environment = add_array(environment);
    header.program = add(request.program);
    header.directory = add(request.directory);
    header.memory_bytes = static_cast<std::uint64_t>(std::llround(request.memory_limit * 1e6));
    header.size = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof(header));
  }

  Descriptor file() const {
    Descriptor file(::memfd_create("epsfree-image", MFD_CLOEXEC));
    if (!file.is_open()) fail("cannot make a memory file for a simulator's arguments");
    for (std::size_t done = 0; done < bytes_.size();) {
      const long written = ::write(file.get(), bytes_.data() + done, bytes_.size() - done);
      if (written < 0 && errno != EINTR) fail("cannot write a simulator's arguments");
      done += static_cast<std::size_t>(std::max(written, 0L));
    }
    return file;
  }

 private:
  std::uint64_t add(const std::string& text) {
    const std::uint64_t offset = bytes_.size();
    bytes_.append(text.c_str(), text.size() + 1);
    return offset;
  }
  std::uint64_t add_array(const std::vector<std::string>& texts) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const std::uint64_t offset = bytes_.size();
    std::vector<std::uint64_t> offsets;
    offsets.reserve(texts.size() + 1);
    std::uint64_t next = offset + 8 * (texts.size() + 1);
    for (const std::string& text : texts) {
      offsets.push_back(next);
      next += text.size() + 1;
    }
    offsets.push_back(0);
    bytes_.append(reinterpret_cast<const char*>(offsets.data()), 8 * offsets.size());
    for (const std::string& text : texts) add(text);
    return offset;
  }

  std::string bytes_;
};

/// The one nursery of this process: processes are a resource of the process as a whole, and the
/// nursery must be started before MPI is, long before a simulator is made (docs/decisions/0012).
struct Shared {
  std::mutex mutex;
  std::shared_ptr<Nursery> nursery;
  pid_t owner = -1;
  bool for_good = false;
};

Shared& shared_state() {
  static Shared state;
  return state;
}

}  // namespace

std::shared_ptr<Nursery> Nursery::shared() {
  Shared& state = shared_state();
  const std::lock_guard lock(state.mutex);
  // A forked copy of this process has a nursery of its own.
  if (!state.nursery || state.owner != ::getpid() ||
      (!state.for_good && !state.nursery->is_alive())) {
    state.nursery = std::make_shared<Nursery>();
    state.owner = ::getpid();
  }
  return state.nursery;
}

void Nursery::start_for_good() {
  shared();
  Shared& state = shared_state();
  const std::lock_guard lock(state.mutex);
  state.for_good = true;
}

Nursery::Nursery() : owner_(::getpid()) {
  auto [ours, theirs] = make_sockets(0);
  // No handler of the program's may run in the nursery.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_ = ::fork();
  if (pid_ == 0) nursery::run(theirs.get(), owner_);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  if (pid_ < 0) fail("cannot start the process that starts simulators");
  socket_ = std::move(ours);
}

Nursery::~Nursery() {
  socket_.reset();
  if (owner_ != ::getpid()) return;
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Nursery::is_alive() const {
  // It never says anything here, so all there can be is the end. Asking wait() would not do: the
  // program may have others that wait for any child, or ignore SIGCHLD.
  char nothing;
  return ::recv(socket_.get(), &nothing, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EINTR);
}

std::unique_ptr<ChildProcess> Nursery::spawn(const SpawnRequest& request) {
  const std::uint64_t tag = next_tag_.fetch_add(1, std::memory_order_relaxed);
  const Descriptor image =
      Image(request, nursery::kTagVariable + std::to_string(owner_) + "." + std::to_string(tag))
          .file();
  ChildProcess::Pipes pipes;
  auto [control, child_control] = make_sockets(SOCK_NONBLOCK);
  auto [out, child_out] = make_pipe();
  auto [err, child_err] = make_pipe();
  Descriptor child_in;
  if (request.with_input) {
    std::tie(child_in, pipes.in) = make_pipe();
    set_nonblocking(pipes.in);
  } else {
    child_in = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!child_in.is_open()) fail("cannot open /dev/null");
  }
  pipes.control = std::move(control);
  pipes.out = std::move(out);
  pipes.err = std::move(err);
  set_nonblocking(pipes.out);
  set_nonblocking(pipes.err);

  nursery::OrderHeader header{
      nursery::Order::spawn,
      static_cast<std::uint32_t>(std::lround(std::min(request.grace_seconds, 86400.0) * 1000)),
      tag};
  const int descriptors[nursery::kNumSpawnDescriptors] = {
      child_control.get(), image.get(), child_in.get(), child_out.get(), child_err.get()};
  alignas(cmsghdr) char rights[CMSG_SPACE(sizeof(descriptors))] = {};
  iovec part{&header, sizeof(header)};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = rights;
  message.msg_controllen = sizeof(rights);
  cmsghdr* first = CMSG_FIRSTHDR(&message);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(sizeof(descriptors));
  std::memcpy(CMSG_DATA(first), descriptors, sizeof(descriptors));
  long sent = 0;
  do {
    sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) fail("the process that starts simulators has been killed");
  return std::make_unique<ChildProcess>(std::move(pipes));
}

void Nursery::send_path(nursery::Order order, const std::string& path) {
  if (path.size() >= nursery::kMaxPath) return;
  const nursery::OrderHeader header{order, 0, 0};
  std::string message(reinterpret_cast<const char*>(&header), sizeof(header));
  message += path;
  ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL);
}

void Nursery::remember_scratch(const std::string& path) {
  send_path(nursery::Order::remember_scratch, path);
}
void Nursery::forget_scratch(const std::string& path) {
  send_path(nursery::Order::forget_scratch, path);
}

void start_nursery() { Nursery::start_for_good(); }

}  // namespace epsfree
