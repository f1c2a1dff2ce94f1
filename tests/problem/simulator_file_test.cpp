#include "problem/simulator_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "infer/mdn/mdn_options.hpp"
#include "problem/problem_file.hpp"
#include "run/run_identity.hpp"
#include "support/error_of.hpp"
#include "support/temporary_directory.hpp"

namespace epsfree {
namespace {

const std::string kPrior =
    "[prior]\nkind = \"independent\"\n"
    "[[prior.parameter]]\nname = \"rate\"\nfamily = \"uniform\"\nlow = 0\nhigh = 1\n"
    "[[prior.parameter]]\nname = \"size\"\nfamily = \"uniform\"\nlow = 0\nhigh = 1\n";
const std::string kObserved = "[observed]\nvalues = [1, 2, 3]\n";
const std::string kRest = kPrior + kObserved;

ProblemSpec parse(const std::string& simulator, const ProblemOverrides& overrides = {}) {
  return parse_problem("[simulator]\n" + simulator + kRest, "folder/p.toml", overrides);
}

std::string refusal(const std::string& simulator) {
  return error_of(ErrorKind::input, [&] { parse(simulator); });
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

std::string here(const std::string& name) {
  return (std::filesystem::current_path() / name).string();
}

const char* const kEveryKind[] = {
    "plugin = \"lib/a.so\"\nnum_statistics = 3\nthread_safe = true\n",
    R"(command = ["./sim", "{theta}", "--seed={seed}", "a \"b\" \\ c"]
statistic_names = ["a", "b", "c,\"d\""]
input = "stdin"
input_format = "csv"
output = "file"
output_name = "x.txt"
scratch_directory = "scratch"
keep_failed = "/failed"
max_kept = 3
time_limit_seconds = 1.5
time_limit_factor = 20
grace_seconds = 0.5
environment = {OMP_NUM_THREADS = "1", "B" = "x=\"y\""}
directory = "../elsewhere"
)",
    "worker = [\"sim\"]\nnum_statistics = 3\nmax_in_flight = 7\nstartup_seconds = 3\n",
    "python = \"pack.sir:simulate\"\ninterpreter = \"python3.11\"\nnum_statistics = 3\n"};

TEST(SimulatorFile, EveryKindIsWrittenSoThatItReadsTheSameFromAnywhere) {
  for (const char* simulator : kEveryKind) {
    const ProblemSpec once = parse(simulator);
    EXPECT_EQ(once.problem.simulator, nullptr) << "reading runs nothing";
    const std::string resolved = resolved_toml(once);
    ProblemSpec twice = parse_problem(resolved, "runs/deep/down/run.toml");
    twice.name = once.name;
    twice.observed_note = once.observed_note;
    EXPECT_EQ(resolved_toml(twice), resolved);
    EXPECT_EQ(twice.model, once.model);
    if (once.simulator.kind == SimulatorKind::plugin) {
      EXPECT_EQ(twice.simulator.resolved_plugin().path, once.simulator.resolved_plugin().path);
    }
  }
}

TEST(SimulatorFile, ReadsWhatItSays) {
  const ProblemSpec spec = parse(kEveryKind[1]);
  const SimulatorSpec& simulator = spec.simulator;
  EXPECT_EQ(simulator.kind, SimulatorKind::command);
  EXPECT_EQ(spec.model, "command ./sim");
  EXPECT_EQ(spec.statistic_names, (std::vector<std::string>{"a", "b", "c,\"d\""}));
  const CommandOptions& command = simulator.command;
  EXPECT_EQ(command.process.argv,
            (std::vector<std::string>{"./sim", "{theta}", "--seed={seed}", "a \"b\" \\ c"}));
  EXPECT_EQ(command.process.names, (std::vector<std::string>{"rate", "size"}));
  EXPECT_EQ(command.process.num_parameters, 2);
  EXPECT_EQ(command.process.num_statistics, 3);
  EXPECT_EQ(command.input, CommandInput::standard_input);
  EXPECT_EQ(command.input_format, CommandFormat::csv);
  EXPECT_EQ(command.output, CommandOutput::file);
  EXPECT_EQ(command.scratch_directory, here("folder/scratch"));
  EXPECT_EQ(command.keep_failed, "/failed");
  EXPECT_EQ(command.process.directory, here("elsewhere"));
  EXPECT_EQ(command.process.time_limit_seconds, 1.5);
  EXPECT_EQ(command.process.environment, (std::vector<std::pair<std::string, std::string>>{
                                             {"B", "x=\"y\""}, {"OMP_NUM_THREADS", "1"}}));
  EXPECT_EQ(parse(kEveryKind[2]).simulator.worker.process.directory, here("folder"))
      << "programs start where the problem file lies";
  EXPECT_EQ(parse(kEveryKind[0]).simulator.resolved_plugin().path, here("folder/lib/a.so"));
  EXPECT_EQ(parse(kEveryKind[3]).simulator.interpreter, "python3.11");
  EXPECT_EQ(parse(kEveryKind[0]).statistic_names, (std::vector<std::string>{"x1", "x2", "x3"}));
}

TEST(SimulatorFile, OnlyBuiltInModelsHaveAScaleOfTheirOwn) {
  const ProblemSpec spec =
      parse(kEveryKind[0], {.assignments = {"method.name=\"mdn-with-prior\""}});
  EXPECT_EQ(mdn_settings(spec.options.method)->pilot.scaling, Scaling::normalise);
}

TEST(SimulatorFile, APathOnTheCommandLineStartsWhereOneStands) {
  const ProblemSpec spec = parse(kEveryKind[1], {.assignments = {"simulator.keep_failed=kept"}});
  EXPECT_EQ(spec.simulator.command.keep_failed, here("kept"));
}

// A run that was begun in Python with a function of that session can be read, but not gone on with.
TEST(SimulatorFile, AClosureIsKnownByNameAndCannotBeOpened) {
  const SimulatorSpec spec = parse("closure = \"simulate\"\nnum_statistics = 3\n").simulator;
  EXPECT_EQ(spec.label, "closure simulate");
  expect_has(simulator_toml(spec), "closure = \"simulate\"");
  try {
    open_simulator(spec);
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    expect_has(error.what(), "epsfree.infer");
  }
}

// A command runs in a folder of its own; ["python3", "sir.py"] would not find its script there.
TEST(SimulatorFile, AnArgumentThatIsAFileBesideTheProblemIsFound) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("sir.py"), "");
  write_file_atomically(directory.file("fast"), "");
  const ProblemSpec spec = parse_problem(
      "[simulator]\ncommand = [\"python3\", \"sir.py\", \"other.py\", \"fast\", \"{rate}\"]\n"
      "num_statistics = 3\n" +
          kRest,
      directory.file("p.toml"));
  EXPECT_EQ(
      spec.simulator.command.process.argv,
      (std::vector<std::string>{"python3", "{directory}/sir.py", "other.py", "fast", "{rate}"}));
}

TEST(SimulatorFile, MistakesAreNamedWithPlaceAndRemedy) {
  expect_has(refusal("comand = [\"a\"]\nnum_statistics = 3\n"),
             "folder/p.toml:2: key 'simulator.comand': unknown key (did you mean 'command'?)");
  expect_has(refusal("num_statistics = 3\n"), "'command', 'worker', 'python' or 'plugin'");
  expect_has(refusal("model = \"mixture\"\ncommand = [\"a\"]\n"),
             "p.toml:3: key 'simulator.command': there is 'model' already");
  expect_has(refusal("command = \"./sim {theta}\"\nnum_statistics = 3\n"), "no shell");
  expect_has(refusal("command = []\nnum_statistics = 3\n"), "at least the name of a program");
  expect_has(refusal("command = [\"a\"]\n"),
             "key 'simulator.num_statistics': missing; expected how many numbers");
  expect_has(refusal("command = [\"a\"]\nnum_statistics = 2\nstatistic_names = [\"a\"]\n"),
             "got 2, but 'statistic_names' has 1");
  expect_has(refusal("command = [\"a\"]\nstatistic_names = [\"a\", \"a\"]\n"), "the same name");
  expect_has(refusal("command = [\"a\", \"{theta}\"]\nnum_statistics = 4\n"),
             "key 'observed.values': got 3 numbers, expected 4");
  expect_has(refusal("worker = [\"a\"]\nnum_statistics = 3\ninput = \"stdin\"\n"),
             "p.toml:4: key 'simulator.input': is of no use with 'worker', only with 'command'");
  expect_has(refusal("command = [\"a\"]\nnum_statistics = 3\ninput = \"stdn\"\n"),
             "did you mean \"stdin\"?");
  expect_has(refusal("command = [\"a\"]\nnum_statistics = 3\n"),
             "p.toml:2: key 'simulator.command': command names no parameter; write {theta}");
  expect_has(refusal("command = [\"a\", \"{rte}\"]\nnum_statistics = 3\n"), "{rte}");
  expect_has(refusal("python = \"sir.py:simulate\"\nnum_statistics = 3\n"), "\"sir:simulate\"");
  expect_has(refusal("python = \"models/sir.py:simulate\"\nnum_statistics = 3\n"), "'directory'");
  expect_has(refusal("python = \"sir\"\nnum_statistics = 3\n"), "\"module:function\"");
  expect_has(refusal("worker = [\"a\"]\nnum_statistics = 3\ntime_limit_seconds = -1\n"),
             "p.toml:4: key 'simulator.time_limit_seconds'");
  expect_has(refusal("worker = [\"a\"]\nnum_statistics = 3\nenvironment = {A = 1}\n"),
             "key 'simulator.environment.A': expected a string");
  expect_has(refusal("model = \"mixture\"\nnum_statistics = 3\n"), "is of no use with 'model'");
}

TEST(SimulatorFile, OnesOwnSimulatorNeedsAPriorAndAnObservation) {
  const std::string simulator = "[simulator]\ncommand = [\"a\", \"{theta}\"]\nnum_statistics = 3\n";
  expect_has(error_of(ErrorKind::input, [&] { parse_problem(simulator + kObserved, "p.toml"); }),
             "p.toml:2: key 'prior': missing; a simulator of your own needs");
  expect_has(error_of(ErrorKind::input, [&] { parse_problem(simulator + kPrior, "p.toml"); }),
             "p.toml:2: key 'observed': missing; a simulator of your own needs");
  expect_has(
      error_of(
          ErrorKind::input,
          [&] { parse_problem(simulator + kPrior + "[observed]\nobserve_seed = 1\n", "p.toml"); }),
      "epsfree simulate p.toml");
  // To try the simulator, or to make an observation with it, there need not be one.
  const ProblemSpec spec = parse_problem(simulator + kPrior, "p.toml", {.needs_observed = false});
  EXPECT_EQ(spec.problem.observed.size(), 0);
}

// A run can be taken up after its folder was moved, with another time limit, but not with another
// program.
TEST(SimulatorFile, HowItIsRunMayChangeBetweenRunsOfOneProblem) {
  const ProblemSpec before = parse(kEveryKind[2]);
  const auto now = [](const std::string& assignment) {
    return parse(kEveryKind[2], {.assignments = {assignment}});
  };
  for (const char* same : {"simulator.time_limit_seconds=5", "simulator.directory=/moved",
                           "simulator.max_in_flight=1", "simulator.grace_seconds=9"}) {
    EXPECT_TRUE(compare_identity(before, now(same)).same()) << same;
  }
  for (const char* other :
       {"simulator.worker=[\"sim\", \"-x\"]", "simulator.environment={MODEL = \"b\"}"}) {
    EXPECT_FALSE(compare_identity(before, now(other)).same()) << other;
  }
}

TEST(SimulatorFile, AMissingLibraryIsNamedWithItsPlace) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("p.toml"),
                        "[simulator]\nplugin = \"no.so\"\nnum_statistics = 3\n" + kRest);
  const std::string message =
      error_of(ErrorKind::io, [&] { load_problem(directory.file("p.toml")); });
  expect_has(message, "p.toml:2: key 'simulator.plugin': plugin '" + directory.file("no.so"));
}

}  // namespace
}  // namespace epsfree
