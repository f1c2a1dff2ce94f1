#include "python/src/python_simulator.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <vector>

#include "epsfree/error.hpp"
#include "python/src/arrays.hpp"

namespace epsfree::python {
namespace {

constexpr double kSecondsOfBatch = 0.02;
constexpr double kLargestBatch = 256;

/// A copy that Python owns: a function may keep what it is given.
NumpyMatrix copy_of(const Eigen::Ref<const Eigen::MatrixXd>& thetas) {
  return rows(Eigen::MatrixXd(thetas));
}

nb::object seeds_of(std::span<Stream> streams) {
  auto* owned = new std::vector<std::uint64_t>();
  for (Stream& stream : streams) owned->push_back(stream.bits64());
  const nb::capsule owner(
      owned, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

}  // namespace

/// One call of Python by this thread, which a stop interrupts: an exception is raised in it, as
/// soon as it runs Python code again. All members are guarded by the GIL.
struct PythonSimulator::Call {
  unsigned long thread = 0;
  bool running = false;

  void interrupt() {
    const nb::gil_scoped_acquire acquire;
    if (!running) return;
    const nb::object type = nb::module_::import_("epsfree.errors").attr("SimulationStopped");
    PyThreadState_SetAsyncExc(thread, type.ptr());
  }
  void begin() {
    thread = PyThread_get_thread_ident();
    running = true;
  }
  void end() {
    running = false;
    PyThreadState_SetAsyncExc(thread, nullptr);  // what has not been raised yet never will be
  }
};

PythonSimulator::PythonSimulator(Index num_parameters, Index num_statistics, Index batch,
                                 nb::object dispatch, std::shared_ptr<Fault> fault)
    : num_parameters_(num_parameters),
      num_statistics_(num_statistics),
      batch_(batch),
      dispatch_(std::move(dispatch)),
      fault_(std::move(fault)) {}

PythonSimulator::~PythonSimulator() {
  const nb::gil_scoped_acquire acquire;
  dispatch_.reset();
}

Index PythonSimulator::preferred_batch() const {
  if (batch_ > 0) return batch_;
  const long count = count_.load();
  if (count == 0) return 1;
  const double each = seconds_.load() / static_cast<double>(count);
  return static_cast<Index>(std::clamp(kSecondsOfBatch / std::max(each, 1e-9), 1.0, kLargestBatch));
}

void PythonSimulator::simulate(const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                               std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                               std::span<SimStatus> statuses) const {
  std::vector<std::string> messages(statuses.size());
  simulate_in({messages, {}}, thetas, streams, statistics, statuses);
}

void PythonSimulator::simulate_in(const BatchContext& context,
                                  const Eigen::Ref<const Eigen::MatrixXd>& thetas,
                                  std::span<Stream> streams, Eigen::Ref<Eigen::MatrixXd> statistics,
                                  std::span<SimStatus> statuses) const {
  std::fill(statuses.begin(), statuses.end(), SimStatus::lost);
  if (fault_->happened()) return;
  const auto start = std::chrono::steady_clock::now();
  Call call;
  // Made and destroyed without the GIL, which it may be waiting for.
  const std::stop_callback on_stop(context.stop, [&call] { call.interrupt(); });
  {
    const nb::gil_scoped_acquire acquire;
    try {
      const std::stop_token stop = context.stop;
      const nb::object stopped = nb::cpp_function([stop] { return stop.stop_requested(); });
      const nb::object input = nb::cast(copy_of(thetas));
      const nb::object seeds = seeds_of(streams);
      nb::object answer;
      call.begin();
      try {
        answer = dispatch_(input, seeds, stopped);
      } catch (...) {
        call.end();
        throw;
      }
      call.end();
      const auto x = nb::cast<Rows>(answer[0]);
      const auto kinds = nb::cast<nb::bytes>(answer[1]);
      if (x.shape(0) != statuses.size() || kinds.size() != statuses.size() ||
          static_cast<Index>(x.shape(1)) != num_statistics_) {
        throw nb::value_error("epsfree: dispatch returned arrays of another size");
      }
      statistics = columns(x);
      for (std::size_t i = 0; i < statuses.size(); ++i) {
        statuses[i] = static_cast<SimStatus>(kinds.c_str()[i]);
      }
      for (const auto& [number, message] : nb::cast<nb::dict>(answer[2])) {
        context.messages[nb::cast<std::size_t>(number)] = nb::cast<std::string>(message);
      }
    } catch (nb::python_error& error) {
      if (!context.stop.stop_requested()) fault_->keep(std::move(error));
      std::fill(statuses.begin(), statuses.end(), SimStatus::lost);
    }
  }
  count_.fetch_add(static_cast<long>(statuses.size()));
  seconds_.fetch_add(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace epsfree::python
