// The page that shows the paper's figures and what became of its claims.
#pragma once

#include <string>
#include <vector>

#include "paper/paper_claims.hpp"
#include "paper/paper_results.hpp"
#include "report/drawing/figure.hpp"

namespace epsfree {

/// figures.html: the claims as a table, then every figure with its caption. `without_pdf` says why
/// the figures have no PDF files; empty: they have.
std::string figures_html(const PaperResults& results, const std::vector<PaperClaim>& claims,
                         const std::vector<Figure>& figures, const std::string& without_pdf = "");

}  // namespace epsfree
