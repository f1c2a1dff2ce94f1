// The nursery: a process that starts all others and sees that none is left.
//
// It is a child of the program, in a session of its own, and the reaper of whatever its children
// leave behind. Each child leads a process group. The nursery ends a group when it is asked to or
// when the child's control socket closes; everything, when its own socket closes or its parent is
// no more. It has one thread, allocates nothing and uses system calls alone (nursery_system.hpp).
#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstring>

#include "simulate/process/nursery_files.hpp"
#include "simulate/process/nursery_launch.hpp"
#include "simulate/process/nursery_protocol.hpp"
#include "simulate/process/nursery_system.hpp"

namespace epsfree::nursery {
namespace {

constexpr int kMaxChildren = 4096;
constexpr int kMaxStrays = 1024;
constexpr int kMaxScratch = 64;
constexpr std::size_t kStackSize = 64 * 1024;
constexpr int kCheckInterval = 10;  // milliseconds, while something is ending
constexpr int kScanInterval = 200;  // milliseconds
constexpr int kScanShare = 50;      // of the time at most one part in so many for scanning

constexpr std::uint64_t kSocketEvent = ~std::uint64_t{0};
constexpr std::uint64_t kSignalEvent = kSocketEvent - 1;

struct Child {
  int pid;      // and group; 0: the slot is free
  int control;  // -1: closed
  bool ending, exited;
  int grace;
  std::int64_t deadline;  // of SIGKILL, when ending
  std::uint64_t tag;
};

struct Stray {
  int pid;
  std::int64_t deadline;
};

struct Nursery {
  int socket, epoll, signals;
  int parent, self;
  bool closing;
  int num_ending, num_used;  // children that are ending; slots ever used
  bool scan_wanted;
  std::int64_t next_scan;
  Child children[kMaxChildren];
  Stray strays[kMaxStrays];
  int num_strays;
  int stray_grace;  // of the child that was started last
  char scratch[kMaxScratch][kMaxPath];
  alignas(16) char stack[kStackSize];
};

void watch(Nursery& nursery, int fd, std::uint64_t data) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = data;
  call(SYS_epoll_ctl, nursery.epoll, EPOLL_CTL_ADD, fd, &event);
}

void close_control(Child& child) {
  if (child.control >= 0) close_fd(child.control);
  child.control = -1;
}

void spawn(Nursery& nursery, const OrderHeader& order, const int* descriptors) {
  int slot = 0;
  while (slot < nursery.num_used && nursery.children[slot].pid != 0) ++slot;
  int error = EAGAIN;
  if (slot < kMaxChildren && !nursery.closing) {
    Child& child = nursery.children[slot];
    child = {};
    child.control = descriptors[0];
    child.grace = static_cast<int>(order.grace_milliseconds);
    child.tag = order.tag;
    nursery.stray_grace = child.grace;
    error = start(descriptors, nursery.self, nursery.stack + kStackSize, child.pid);
  }
  if (error == 0) {
    if (slot == nursery.num_used) ++nursery.num_used;
    watch(nursery, descriptors[0], static_cast<std::uint64_t>(slot));
  } else {
    tell(descriptors[0], Event::not_started, error);
    tell(descriptors[0], Event::gone, 0);
    close_fd(descriptors[0]);
  }
  for (int i = 1; i < kNumSpawnDescriptors; ++i) close_fd(descriptors[i]);
}

void begin_end(Nursery& nursery, Child& child) {
  if (child.ending) return;
  child.ending = true;
  ++nursery.num_ending;
  child.deadline = now_milliseconds() + child.grace;
  send_signal(-child.pid, SIGTERM);
  send_signal(-child.pid, SIGCONT);  // one that is stopped hears nothing
}

void begin_closing(Nursery& nursery) {
  if (nursery.closing) return;
  nursery.closing = true;
  close_fd(nursery.socket);  // which also ends its being watched
  for (int i = 0; i < nursery.num_used; ++i) {
    Child& child = nursery.children[i];
    if (child.pid == 0) continue;
    close_control(child);
    begin_end(nursery, child);
  }
  nursery.next_scan = 0;
}

void change_scratch(Nursery& nursery, bool remember, const char* path) {
  for (auto& known : nursery.scratch) {
    if (remember ? known[0] != '\0' : std::strcmp(known, path) != 0) continue;
    if (remember) {
      std::memcpy(known, path, std::strlen(path) + 1);  // as long as a message may be
    } else {
      known[0] = '\0';
    }
    return;
  }
}

void receive_order(Nursery& nursery) {
  struct {
    OrderHeader header;
    char path[kMaxPath];
  } order;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kNumSpawnDescriptors)];
  iovec part{&order, sizeof(order) - 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const long size = call(SYS_recvmsg, nursery.socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) begin_closing(nursery);
  if (size < static_cast<long>(sizeof(OrderHeader))) return;
  if (order.header.order != Order::spawn) {
    reinterpret_cast<char*>(&order)[size] = '\0';
    change_scratch(nursery, order.header.order == Order::remember_scratch, order.path);
    return;
  }
  int descriptors[kNumSpawnDescriptors];
  const cmsghdr* rights = CMSG_FIRSTHDR(&message);
  const std::size_t length = rights == nullptr ? 0 : rights->cmsg_len - CMSG_LEN(0);
  if (length != 0) std::memcpy(descriptors, CMSG_DATA(rights), length);
  if (length == sizeof(descriptors)) {
    spawn(nursery, order.header, descriptors);
  } else {  // out of descriptors; that its control socket closes tells the other side
    for (std::size_t i = 0; i < length / sizeof(int); ++i) close_fd(descriptors[i]);
  }
}

void receive_control(Nursery& nursery, Child& child) {
  if (child.pid == 0 || child.control < 0) return;
  char word = 0;
  const long size = read_fd(child.control, &word, 1);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) close_control(child);
  begin_end(nursery, child);
}

/// Reports a child whose group is empty. True: it was.
bool settle(Nursery& nursery, Child& child) {
  if (!child.exited || is_alive(-child.pid)) return false;
  tell(child.control, Event::gone, 0);
  close_control(child);
  if (child.ending) --nursery.num_ending;
  child.pid = 0;
  return true;
}

/// False: there is no child left, of whatever kind.
bool reap(Nursery& nursery) {
  for (;;) {
    int status = 0;
    const long pid = call(SYS_wait4, -1, &status, WNOHANG, nullptr);
    if (pid == 0) return true;
    if (pid < 0) return errno != ECHILD;
    nursery.scan_wanted = true;
    for (int i = 0; i < nursery.num_strays; ++i) {
      if (nursery.strays[i].pid == pid) {
        nursery.strays[i] = nursery.strays[--nursery.num_strays];
        break;
      }
    }
    for (int i = 0; i < nursery.num_used; ++i) {
      Child& child = nursery.children[i];
      if (child.pid != pid || child.exited) continue;
      child.exited = true;
      tell(child.control, Event::exited, status);
      if (!settle(nursery, child)) begin_end(nursery, child);
      break;
    }
  }
}

void receive_signals(Nursery& nursery) {
  signalfd_siginfo info[16];
  while (read_fd(nursery.signals, info, sizeof(info)) > 0) {
  }
  if (call(SYS_getppid) != nursery.parent) begin_closing(nursery);
}

void press(Nursery& nursery) {
  const std::int64_t now = now_milliseconds();
  for (int i = 0; i < nursery.num_used; ++i) {
    Child& child = nursery.children[i];
    if (child.pid == 0 || !child.ending || settle(nursery, child)) continue;
    if (now >= child.deadline) send_signal(-child.pid, SIGKILL);
  }
}

/// A child of the nursery that it did not start: its parent has died. If it has also left the
/// group, nothing but the mark in its environment tells whose it is.
void consider(const ProcEntry& entry, void* context) {
  auto& nursery = *static_cast<Nursery*>(context);
  bool others = false;
  for (int i = 0; i < nursery.num_used; ++i) {
    const Child& child = nursery.children[i];
    if (child.pid == 0) continue;
    if (child.pid == entry.group) return;  // ended with its group
    others = others || !child.exited;
  }
  if (others && !nursery.closing) {
    const std::uint64_t tag = tag_of(entry.pid, nursery.parent);
    if (tag == 0) return;  // it may belong to any of those that run
    for (int i = 0; i < nursery.num_used; ++i) {
      const Child& child = nursery.children[i];
      if (child.pid != 0 && child.tag == tag && !child.ending) return;
    }
  }
  const std::int64_t now = now_milliseconds();
  for (int i = 0; i < nursery.num_strays; ++i) {
    if (nursery.strays[i].pid != entry.pid) continue;
    if (now >= nursery.strays[i].deadline) send_signal(entry.pid, SIGKILL);
    return;
  }
  if (nursery.num_strays == kMaxStrays) {
    send_signal(entry.pid, SIGKILL);
    return;
  }
  nursery.strays[nursery.num_strays++] = {entry.pid, now + nursery.stray_grace};
  send_signal(entry.pid, SIGTERM);
  send_signal(entry.pid, SIGCONT);
}

void scan(Nursery& nursery) {
  const std::int64_t begin = now_milliseconds();
  if (begin < nursery.next_scan) return;
  nursery.scan_wanted = false;
  for_each_child(nursery.self, consider, &nursery);
  const std::int64_t end = now_milliseconds();
  const std::int64_t interval = nursery.closing ? kCheckInterval : kScanInterval;
  const std::int64_t rest = (end - begin) * kScanShare;
  nursery.next_scan = end + (rest > interval && !nursery.closing ? rest : interval);
}

int timeout(const Nursery& nursery) {
  if (nursery.closing || nursery.num_ending > 0) return kCheckInterval;
  if (!nursery.scan_wanted && nursery.num_strays == 0) return -1;
  const std::int64_t rest = nursery.next_scan - now_milliseconds();
  return rest < 1 ? 1 : static_cast<int>(rest);
}

void prepare(Nursery& nursery) {
  call(SYS_setsid);
  call(SYS_chdir, "/");
  call(SYS_prctl, PR_SET_NAME, "epsfree-nursery", 0, 0, 0);
  call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  call(SYS_prctl, PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
  // Children get the default of every signal.
  const std::uint64_t by_default[4] = {};
  for (int signal = 1; signal <= 64; ++signal) {
    call(SYS_rt_sigaction, signal, by_default, nullptr, kSignalSetSize);
  }
  const std::uint64_t all = ~std::uint64_t{0};
  call(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, kSignalSetSize);
  // Nothing of the program's stays open here: whoever waits for the end of a pipe or a lock would
  // wait for the nursery.
  const int nothing = open_at(AT_FDCWD, "/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) call(SYS_dup3, nothing, fd, O_CLOEXEC);
  call(SYS_dup3, nursery.socket, 3, O_CLOEXEC);
  nursery.socket = 3;
  if (call(SYS_close_range, 4U, ~0U, 0) != 0) {
    for (int fd = 4; fd < 65536; ++fd) close_fd(fd);
  }
  nursery.epoll = static_cast<int>(call(SYS_epoll_create1, EPOLL_CLOEXEC));
  const std::uint64_t heard =
      (std::uint64_t{1} << (SIGCHLD - 1)) | (std::uint64_t{1} << (SIGHUP - 1));
  nursery.signals =
      static_cast<int>(call(SYS_signalfd4, -1, &heard, kSignalSetSize, SFD_CLOEXEC | SFD_NONBLOCK));
  watch(nursery, nursery.socket, kSocketEvent);
  watch(nursery, nursery.signals, kSignalEvent);
}

}  // namespace

void run(int socket, int parent_pid) {
  char* memory = map_memory(sizeof(Nursery));
  if (memory == nullptr) call(SYS_exit_group, 1);
  Nursery& nursery = *reinterpret_cast<Nursery*>(memory);  // all zero
  nursery.socket = socket;
  nursery.parent = parent_pid;
  nursery.self = static_cast<int>(call(SYS_getpid));
  prepare(nursery);
  // It may have died before it was asked to tell.
  if (call(SYS_getppid) != nursery.parent) begin_closing(nursery);
  for (bool any = true; any || !nursery.closing;) {
    epoll_event events[64];
    const long count =
        call(SYS_epoll_pwait, nursery.epoll, events, 64, timeout(nursery), nullptr, kSignalSetSize);
    for (long i = 0; i < count; ++i) {
      const std::uint64_t data = events[i].data.u64;
      if (data == kSocketEvent) {
        if (!nursery.closing) receive_order(nursery);
      } else if (data == kSignalEvent) {
        receive_signals(nursery);
      } else {
        receive_control(nursery, nursery.children[data]);
      }
    }
    any = reap(nursery);
    if (nursery.num_ending > 0) press(nursery);
    if (nursery.closing || nursery.scan_wanted || nursery.num_strays > 0) scan(nursery);
  }
  for (const auto& path : nursery.scratch) {
    if (path[0] != '\0') remove_tree(path);
  }
  call(SYS_exit_group, 0);
  for (;;) {
  }
}

}  // namespace epsfree::nursery
