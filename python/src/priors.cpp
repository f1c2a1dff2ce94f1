#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/numerics.hpp"
#include "io/document.hpp"
#include "io/prior_json.hpp"
#include "problem/prior_file.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/handles.hpp"
#include "python/src/interruptible.hpp"

namespace epsfree::python {
namespace {

NumpyVector log_prob(const PriorHandle& self, const Rows& thetas) {
  const auto points = columns(thetas);
  return array(interruptible([&] {
    Eigen::VectorXd result(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      check_interruption();
      const auto theta = points.col(i);
      result[i] = theta.allFinite() ? self.prior->log_prob(theta)
                                    : -std::numeric_limits<double>::infinity();
    }
    return result;
  }));
}

Eigen::MatrixXd draw(const Prior& prior, Index count, std::uint64_t seed) {
  Stream stream(seed);
  return prior.sample(count, stream);
}

}  // namespace

void bind_priors(nb::module_& module) {
  nb::class_<PriorHandle>(module, "Prior")
      .def_prop_ro("dim", [](const PriorHandle& self) { return self.prior->dim(); })
      .def_prop_ro("kind", [](const PriorHandle& self) { return self.prior->kind(); })
      .def("sample",
           [](const PriorHandle& self, Index count, std::uint64_t seed) {
             return rows(interruptible([&] { return draw(*self.prior, count, seed); }));
           })
      .def("log_prob", &log_prob)
      .def("contains",
           [](const PriorHandle& self, const Rows& thetas) {
             const auto points = columns(thetas);
             return interruptible([&] {
               std::vector<bool> result;
               for (Index i = 0; i < points.cols(); ++i) {
                 check_interruption();
                 result.push_back(self.prior->contains(points.col(i)));
               }
               return result;
             });
           })
      .def("mean", [](const PriorHandle& self) { return array(self.prior->mean()); })
      .def("covariance", [](const PriorHandle& self) { return rows(self.prior->covariance()); })
      .def("to_json", [](const PriorHandle& self) { return prior_to_json(*self.prior).dump(); })
      .def("same_as", [](const PriorHandle& self, const PriorHandle& other) {
        return same_prior(*self.prior, *other.prior);
      });
  module.def("parse_prior", [](const std::string& text, const std::string& source) {
    pin_numerics();
    const Node document = parse_toml(text, source, false);
    Section root(document);
    Section table = root.section("prior");
    NamedPrior named = read_prior(table);
    return std::pair(PriorHandle{named.prior}, named.names);
  });
}

}  // namespace epsfree::python
