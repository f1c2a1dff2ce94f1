#include "infer/local/auto_options.hpp"

#include "base/require.hpp"
#include "infer/method_entry.hpp"

namespace epsfree {

void visit_fields(AutoOptions& o, OptionVisitor& visit) {
  visit.group("auto", "the default method; it needs no settings");
  visit("max_components", o.max_components, "of the largest mixture of the final fit",
        from_to(1, 256));
  visit("network", o.network, "whether a network may be trained where mixtures do not suffice");
  visit("widening", o.widening, "factor on the covariance of each proposal; 0: 5^(2/D)",
        or_zero(at_least(1, ""), "0, or 1 or more"));
  visit("tolerance", o.tolerance,
        "return the rest unspent when twice the simulations change the posterior by less than this "
        "KL divergence; 0: never",
        {.low = 0, .text = "0 or more"});
  visit("earlier_budgets", o.earlier_budgets,
        "budgets spent before this one was granted; written by runs whose budget has grown");
}

void check_earlier_budgets(const InferOptions& options) {
  long before = MethodEntry::kFewest - 1;
  for (const long budget : std::get<AutoOptions>(options.method).earlier_budgets) {
    require(budget > before && budget < options.num_simulations, "auto.earlier_budgets", budget,
            "at least 40, above the one before and below num_simulations");
    before = budget;
  }
}

}  // namespace epsfree
