// The sections of a run's report.
#pragma once

#include <optional>

#include "report/page.hpp"
#include "report/run_contents.hpp"

namespace epsfree {

/// Each is none where the run has nothing to show for it.
std::optional<PageSection> posterior_section(const RunContents& run);
std::optional<PageSection> predictive_section(const RunContents& run);
std::optional<PageSection> rounds_section(const RunContents& run);
std::optional<PageSection> simulations_section(const RunContents& run);
std::optional<PageSection> diagnostics_section(const RunContents& run);
PageSection configuration_section(const RunContents& run);

}  // namespace epsfree
