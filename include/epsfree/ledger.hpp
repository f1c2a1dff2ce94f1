// The ledger: what a run has done, on disk, so that nothing is ever simulated twice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "epsfree/journal.hpp"
#include "epsfree/runner.hpp"

namespace epsfree {

/// One recorded simulation. The spans hold only until the next row.
struct LedgerRow {
  Key key;
  SimStatus status = SimStatus::lost;
  int attempts = 1;
  double seconds = 0;
  std::span<const double> theta;
  std::span<const double> x;  ///< empty where it is not ok
  std::string_view message;
  DrawnFrom drawn_from = DrawnFrom::unknown;
};

/// Simulations by key, the journal's values and some notes, in one SQLite file with one writer at a
/// time. What is recorded is on disk within a second, or on `commit`; a killed process or a power
/// cut loses no more than that. To be used from one thread.
///
/// Every call throws ErrorKind::io where the system refuses: a full disk, a read-only place,
/// another run at work on the same file.
class Ledger final : public Journal {
 public:
  enum class Access {
    write,  ///< makes the file where there is none, mends it where it is damaged
    read    ///< changes nothing, and leaves a run at work alone
  };
  /// What was found on opening.
  struct Opening {
    bool is_new = false;
    bool was_damaged = false;
    long num_recovered = 0;    ///< simulations, if it was damaged
    std::string damage;        ///< what was wrong
    std::string damaged_copy;  ///< where the damaged file is now
  };

  /// A damaged file is moved aside and what can be read of it written anew. Throws ErrorKind::input
  /// if it is no ledger at all, or one of a newer epsfree.
  explicit Ledger(const std::string& path, Access access = Access::write);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  /// Commits; what cannot be written then is lost.
  ~Ledger() override;

  const std::string& path() const;
  const Opening& opening() const;

  std::optional<std::string> find(const std::string& name) override;
  void put(const std::string& name, const std::string& bytes) override;
  void erase(const std::string& name) override;
  /// Forgets all that was put.
  void clear_journal();
  /// Forgets all simulations and all that was put; notes stay.
  void clear();
  long num_values();

  /// Texts about the run as a whole: its problem, the version that made it. On disk with the next
  /// commit.
  std::optional<std::string> note(const std::string& name);
  void set_note(const std::string& name, const std::string& text);

  /// Records ended simulations of a request, in place of what stood under their keys. Column i of
  /// `statistics` belongs to records[i].
  void record(const SimulationRequest& request, std::span<const SimulationRecord> records,
              const Eigen::Ref<const Eigen::MatrixXd>& statistics);
  /// The same for a simulation made elsewhere.
  void record(const LedgerRow& row);
  void erase(const Key& key);
  /// Forgets the simulations that ended by a fault, so that they are made again. Returns their
  /// number.
  long erase_faults();

  using Visitor = std::function<void(const LedgerRow&)>;
  /// The rows from `first` on with indices up to `last_index`, in order.
  void visit(const Key& first, std::uint64_t last_index, const Visitor& visitor);
  /// All rows, in the order of their keys: replicate, purpose, round, index.
  void visit(const Visitor& visitor);
  long num_simulations();
  long num_faults();

  /// Writes what has been recorded to the disk.
  void commit();
  /// The same if the last time is a second ago, or what was set here.
  void commit_if_due();
  void set_commit_interval(double seconds);
  /// Forgets what was recorded since the last commit.
  void roll_back();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Replay;

/// Which simulations a RecordingRunner writes down.
enum class Recording {
  automatic,  ///< unless they come faster than recording pays
  always,
  never,
};
/// "auto", "always", "never"
const char* to_string(Recording recording);

struct RecordingOptions {
  Recording policy = Recording::automatic;
  /// What to do with a recorded simulation of the same key and another theta: false, an error,
  /// since replaying asks for the same ones; true, it is simulated anew and replaced. For runs
  /// whose budget has grown.
  bool replace_others = false;
};

/// Answers from a ledger what it holds, has another runner make the rest, and records it as it
/// ends. Results are those of the other runner alone.
class RecordingRunner final : public Runner {
 public:
  /// What has been done so far.
  struct Counts {
    long num_replayed = 0;   ///< answered from the ledger
    long num_simulated = 0;  ///< by the other runner
    long num_recorded = 0;   ///< of these, written down
    double seconds = 0;      ///< of the other runner, by the clock
  };

  /// Both must outlive it.
  RecordingRunner(Runner& inner, Ledger& ledger, const RecordingOptions& options = {});
  SimulationResults run(const SimulationRequest& request) override;
  int num_threads() const override { return inner_.num_threads(); }
  const Counts& counts() const { return counts_; }

 private:
  SimulationResults make_all(const SimulationRequest& request);
  SimulationResults make_missing(const SimulationRequest& request, Replay& replay);

  Runner& inner_;
  Ledger& ledger_;
  RecordingOptions options_;
  Counts counts_;
};

}  // namespace epsfree
