#include "simulate/process/nursery.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "epsfree/error.hpp"
#include "support/contains.hpp"
#include "support/temporary_directory.hpp"
#include "zoo.hpp"

namespace epsfree {
namespace {

namespace fs = std::filesystem;

SpawnRequest zoo(const std::string& mode, const ProcessMark& mark) {
  return {.program = EPSFREE_ZOO,
          .argv = {"zoo", mode, "1", "2", "3"},
          .environment = {mark.variable()},
          .directory = "/",
          .grace_seconds = 0.2};
}

/// Runs tests/simulate/doomed.cpp.
class Doomed {
 public:
  Doomed(const std::string& kind, const std::string& mode, const std::string& scratch,
         const ProcessMark& mark) {
    std::vector<std::string> words = {EPSFREE_DOOMED, kind, mode, scratch, mark.variable().second};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::posix_spawn(&pid_, EPSFREE_DOOMED, nullptr, nullptr, argv.data(), environ) != 0)
      pid_ = -1;
  }
  ~Doomed() {
    if (pid_ > 0) end(SIGKILL);
  }
  /// The status of wait().
  int end(int signal) {
    if (signal != 0) ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  int pid() const { return pid_; }

 private:
  int pid_ = -1;
};

/// The nursery of another process.
int nursery_of(int parent) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    if (pid > 0 && end != std::string::npos && text.find("epsfree-nursery") != std::string::npos &&
        std::atoi(text.c_str() + end + 4) == parent) {
      return pid;
    }
  }
  return -1;
}

/// A zombie is gone: to bury it is up to whoever has become its parent.
bool wait_until_gone(int pid, int seconds = 10) {
  for (int i = 0; i < 50 * seconds; ++i) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    if (text.find(") Z ") != std::string::npos || text.empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST(Nursery, NothingIsLeftOfAKilledProgram) {
  struct Case {
    const char *kind, *mode;
    std::size_t processes;
    int signal;
  };
  // Two threads; each simulation with two grandchildren, one in a session of its own.
  for (const Case& c :
       {Case{"command", "hang-in-group", 6, SIGKILL}, Case{"early", "hang-in-group", 6, SIGTERM},
        Case{"worker", "ignore-term", 2, SIGKILL}}) {
    const ProcessMark mark;
    const TemporaryDirectory scratch;
    Doomed doomed(c.kind, c.mode, scratch.path(), mark);
    ASSERT_TRUE(mark.wait_for(c.processes)) << c.kind;
    const int nursery = nursery_of(doomed.pid());
    EXPECT_GT(nursery, 0);
    EXPECT_EQ(fs::is_empty(scratch.path()), c.kind == std::string("worker"));
    const int status = doomed.end(c.signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == c.signal) << c.kind;
    EXPECT_TRUE(mark.wait_for(0)) << c.kind;
    EXPECT_TRUE(wait_until_gone(nursery)) << c.kind;
    EXPECT_TRUE(fs::is_empty(scratch.path())) << c.kind;
  }
}

TEST(Nursery, NothingIsLeftOfAProgramThatExits) {
  const ProcessMark mark;
  const TemporaryDirectory scratch;
  Doomed doomed("exit", "hang-in-group", scratch.path(), mark);
  ASSERT_TRUE(mark.wait_for(6));
  const int nursery = nursery_of(doomed.pid());
  EXPECT_EQ(doomed.end(0), 0);
  EXPECT_TRUE(mark.wait_for(0));
  EXPECT_TRUE(wait_until_gone(nursery));
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Nursery, NothingIsLeftThoughAForkHoldsItsSocket) {
  const ProcessMark mark;
  const TemporaryDirectory scratch;
  Doomed doomed("forked", "hang-in-group", scratch.path(), mark);
  ASSERT_TRUE(mark.wait_for(6));
  const int nursery = nursery_of(doomed.pid());
  doomed.end(SIGKILL);
  EXPECT_TRUE(mark.wait_for(0));
  EXPECT_TRUE(wait_until_gone(nursery, 5));  // the fork lives longer
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Nursery, GoesWithItsParentThoughNothingElseTellsIt) {
  const ProcessMark mark;
  Doomed doomed("idle", "good", "/tmp", mark);
  int nursery = -1;
  for (int i = 0; i < 500 && nursery < 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    nursery = nursery_of(doomed.pid());
  }
  ASSERT_GT(nursery, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until it has forked
  doomed.end(SIGKILL);
  EXPECT_TRUE(wait_until_gone(nursery, 5));
}

TEST(Nursery, OutlivesTheThreadThatStartedIt) {
  const ProcessMark mark;
  std::unique_ptr<Nursery> nursery;
  std::thread([&] { nursery = std::make_unique<Nursery>(); }).join();
  const auto child = nursery->spawn(zoo("hang", mark));
  ASSERT_TRUE(mark.wait_for(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(nursery->is_alive());
  EXPECT_EQ(mark.living().size(), 1u);
}

TEST(Nursery, ItsChildrenDieWithIt) {
  const ProcessMark mark;
  const TemporaryDirectory scratch;
  Doomed doomed("worker", "ignore-term", scratch.path(), mark);
  ASSERT_TRUE(mark.wait_for(2));
  ::kill(nursery_of(doomed.pid()), SIGKILL);
  // They are lost, tried again under another nursery, and so on; none is left in the end.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  doomed.end(SIGKILL);
  EXPECT_TRUE(mark.wait_for(0));
}

TEST(Nursery, IsMissedWhenKilled) {
  const ProcessMark mark;
  Nursery nursery;
  const auto child = nursery.spawn(zoo("hang", mark));
  ASSERT_TRUE(mark.wait_for(1));
  ::kill(nursery.pid(), SIGKILL);
  EXPECT_TRUE(child->wait_gone(10));
  EXPECT_TRUE(child->lost());
  EXPECT_TRUE(mark.wait_for(0));
  while (nursery.is_alive()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_THROW(nursery.spawn(zoo("good", mark)), Error);
}

TEST(Nursery, HoldsNothingOfTheProgram) {
  // A pipe whose end somebody waits for.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Nursery nursery;
  const ProcessMark mark;
  const auto child = nursery.spawn(zoo("hang", mark));
  ASSERT_TRUE(mark.wait_for(1));
  ::close(ends[1]);
  pollfd polled{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&polled, 1, 2000), 1);
  EXPECT_TRUE(polled.revents & POLLHUP);
  ::close(ends[0]);
  EXPECT_EQ(::getsid(nursery.pid()), nursery.pid());
}

TEST(Nursery, EndsAChildWhoseObjectGoes) {
  const ProcessMark mark;
  Nursery nursery;
  auto child = nursery.spawn(zoo("ignore-term", mark));
  ASSERT_TRUE(mark.wait_for(1));
  child.reset();
  EXPECT_TRUE(mark.wait_for(0));
}

TEST(Nursery, EndsWhatLeavesItsGroupWhileOthersRun) {
  const ProcessMark stays, leaves;
  Nursery nursery;
  const auto other = nursery.spawn(zoo("daemon", stays));
  ASSERT_TRUE(stays.wait_for(2));
  const auto child = nursery.spawn(zoo("grandchild-setsid", leaves));
  EXPECT_TRUE(child->wait_gone(10));
  EXPECT_TRUE(child->succeeded());
  EXPECT_TRUE(leaves.wait_for(0, 5));
  // That of a child that still runs is left alone, and goes with it.
  EXPECT_EQ(stays.living().size(), 2u);
  other->end();
  EXPECT_TRUE(stays.wait_for(0, 5));
}

TEST(Nursery, TakesArgumentsOfAnyLength) {
  const ProcessMark mark;
  Nursery nursery;
  SpawnRequest request = zoo("good", mark);
  for (int i = 0; i < 50; ++i) request.argv.push_back(std::string(20000, 'x'));
  auto child = nursery.spawn(request);
  EXPECT_TRUE(child->wait_gone(10));
  EXPECT_TRUE(child->succeeded()) << child->ending();
  request.argv.push_back(std::string(1 << 20, 'x'));  // more than the system takes
  child = nursery.spawn(request);
  EXPECT_TRUE(child->wait_gone(10));
  EXPECT_CONTAINS(child->ending(), "could not be started: Argument list too long");
  request = zoo("good", mark);
  request.directory = "/no/such/directory";
  child = nursery.spawn(request);
  EXPECT_TRUE(child->wait_gone(10));
  EXPECT_CONTAINS(child->ending(), "No such file");
}

TEST(Nursery, RaisesNoSigpipe) {
  const ProcessMark mark;
  Nursery nursery;
  SpawnRequest request = zoo("exit3", mark);
  request.with_input = true;
  const auto child = nursery.spawn(request);
  EXPECT_TRUE(child->wait_gone(10));
  EXPECT_EQ(child->write("nobody reads this"), -1);
  EXPECT_EQ(child->ending(), "exited with code 3");
  EXPECT_EQ(child->tail.text(), "the mesh is too coarse");
}

TEST(OutputTail, KeepsTheEnd) {
  OutputTail tail;
  for (int i = 0; i < 10000; ++i) tail.append("line " + std::to_string(i) + "\n");
  EXPECT_LT(tail.text().size(), 5000u);
  EXPECT_TRUE(tail.text().ends_with("line 9998\nline 9999"));
  EXPECT_TRUE(tail.text().starts_with("..."));
  tail.append(std::string(1 << 20, 'x') + "end");
  EXPECT_TRUE(tail.text().ends_with("xend"));
  tail.clear();
  tail.append(" \n");
  EXPECT_EQ(tail.text(), "");
}

}  // namespace
}  // namespace epsfree
