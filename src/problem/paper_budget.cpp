#include "problem/paper_budget.hpp"

#include "epsfree/error.hpp"

namespace epsfree {

Index paper_budget(const std::string& model_name) {
  if (model_name == "mixture") return 1800;            // 4 x 200 + 1000
  if (model_name == "linear-regression") return 2800;  // 4 x 200 + 2000
  if (model_name == "lotka-volterra") return 4000;     // 4 x 500 + 2000
  if (model_name == "mg1-queue") return 7400;          // 6 x 400 + 5000
  throw Error(ErrorKind::internal, "no budget of the paper is known for '" + model_name + "'");
}

}  // namespace epsfree
