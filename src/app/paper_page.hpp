// The page that shows the paper's figures and what became of its claims.
#pragma once

#include <string>
#include <vector>

#include "app/paper_claims.hpp"
#include "app/paper_results.hpp"
#include "report/figure.hpp"

namespace epsfree {

/// figures.html: the claims as a table, then every figure with its caption.
std::string figures_html(const PaperResults& results, const std::vector<PaperClaim>& claims,
                         const std::vector<Figure>& figures);

}  // namespace epsfree
