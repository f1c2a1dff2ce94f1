#include "simulate/process/nursery_launch.hpp"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "simulate/process/nursery_system.hpp"

namespace epsfree::nursery {
namespace {

/// What the cloned process needs; it shares the nursery's memory until it execs.
struct Launch {
  ImageHeader* image;
  const int* descriptors;
  int nursery_pid;
};

int launch(void* argument) {
  const auto& launch = *static_cast<const Launch*>(argument);
  char* base = reinterpret_cast<char*>(launch.image);
  const int* descriptors = launch.descriptors;
  call(SYS_setpgid, 0, 0);
  // Should the nursery itself be killed, its children go with it.
  call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (call(SYS_getppid) != launch.nursery_pid) call(SYS_exit_group, 127);
  for (int i = 0; i < 3; ++i) call(SYS_dup3, descriptors[2 + i], i, 0);
  const std::uint64_t no_signals = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, kSignalSetSize);
  // It holds from execve on: until then nothing is allocated.
  if (launch.image->memory_bytes > 0) {
    const std::uint64_t limit[2] = {launch.image->memory_bytes, launch.image->memory_bytes};
    call(SYS_prlimit64, 0, RLIMIT_DATA, limit, nullptr);
  }
  if (call(SYS_chdir, base + launch.image->directory) == 0) {
    call(SYS_execve, base + launch.image->program, base + launch.image->arguments,
         base + launch.image->environment);
  }
  tell(descriptors[0], Event::not_started, errno);
  call(SYS_exit_group, 127);
  return 127;
}

/// Offsets to pointers.
void relocate(char* base, std::uint64_t array) {
  auto* entries = reinterpret_cast<std::uint64_t*>(base + array);
  for (; *entries != 0; ++entries) *entries += reinterpret_cast<std::uint64_t>(base);
}

}  // namespace

void tell(int control, Event event, int value) {
  if (control < 0) return;
  const EventMessage message{event, value};
  call(SYS_sendto, control, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
}

int start(const int* descriptors, int nursery_pid, char* stack_end, int& child_pid) {
  ImageHeader header{};
  if (call(SYS_pread64, descriptors[1], &header, sizeof(header), 0) != sizeof(header)) return EIO;
  char* base = map_memory(header.size, descriptors[1]);
  if (base == nullptr) return errno;
  relocate(base, header.arguments);
  relocate(base, header.environment);
  Launch argument{reinterpret_cast<ImageHeader*>(base), descriptors, nursery_pid};
  // As vfork, with a stack of its own: no page tables are copied, and on return it has called exec.
  const int pid = ::clone(launch, stack_end, CLONE_VM | CLONE_VFORK | SIGCHLD, &argument);
  const int error = errno;
  call(SYS_munmap, base, header.size);
  if (pid < 0) return error;
  child_pid = pid;
  return 0;
}

}  // namespace epsfree::nursery
