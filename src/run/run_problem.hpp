// Inference into a run directory.
#pragma once

#include <functional>
#include <string>

#include "epsfree/mpi.hpp"
#include "epsfree/observer.hpp"
#include "problem/problem_file.hpp"
#include "run/run_results.hpp"

namespace epsfree {

/// "runs/<problem name>": where a run goes when nobody says where.
std::string default_run_directory(const ProblemSpec& spec);

/// Infers and writes a run directory. One that holds an unfinished run of the same problem is taken
/// up where it ended, a finished one is only read. Throws ErrorKind::usage if it holds another run,
/// or one whose simulator has changed,
/// ErrorKind::interrupted if the observer said stop and ErrorKind::stopped if the time limit was
/// reached; what had been recorded by then is there for the next run. Unless run.report is false,
/// the answer is then checked and report.html written; where that fails, the observer is told why.
RunReport run_problem(const ProblemSpec& spec, const RunSettings& settings,
                      Observer* observer = nullptr);

/// Simulates for the rank 0 that runs the same problem, until that is done. `load` reads it.
void serve_problem(const std::function<ProblemSpec()>& load, MpiProcess& mpi);

}  // namespace epsfree
