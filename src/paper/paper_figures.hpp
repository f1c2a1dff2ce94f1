// The paper's figures, made of what was measured.
#pragma once

#include <string>
#include <vector>

#include "paper/paper_results.hpp"
#include "report/drawing/figure.hpp"

namespace epsfree {

/// "MDN with prior", "SMC-ABC": a method as the figures and claims call it.
std::string method_title(const std::string& method);
/// "linear regression" as a section's title has it.
std::string model_title(const std::string& model);

/// Every panel of figures 1 to 4 whose model was chosen, and with Lotka-Volterra the four time
/// series of appendix F, in the paper's order. Names begin with the model's.
std::vector<Figure> paper_figures(const PaperResults& results);

}  // namespace epsfree
