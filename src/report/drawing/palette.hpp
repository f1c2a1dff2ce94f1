// The colours of figures, which tell the same things apart everywhere, on light and dark pages.
#pragma once

#include <string>

namespace epsfree {

struct Colour {
  const char* light;  ///< "#rrggbb"; names the colour in figures
  const char* dark;   ///< its stand-in on a dark page
};

/// Okabe and Ito's, which the colour-blind can tell apart.
inline constexpr Colour kColours[] = {
    {"#0072b2", "#58b2ec"}, {"#d55e00", "#ff9350"}, {"#009e73", "#3fcf9f"}, {"#cc79a7", "#e6a3c8"},
    {"#e69f00", "#f2bd4a"}, {"#56b4e9", "#8fd0f6"}, {"#000000", "#e8ecf1"}};

inline constexpr const char* kPosteriorColour = "#0072b2";
inline constexpr const char* kTruthColour = "#d55e00";
inline constexpr const char* kObservedColour = "#000000";
inline constexpr Colour kPrior = {"#8a929b", "#7d8794"};
inline constexpr const char* kPriorColour = kPrior.light;

/// A colour for a page: the stand-in where the page is dark and has one.
inline std::string page_colour(const std::string& light) {
  return "var(--c" + light.substr(1) + "," + light + ")";
}

/// The style that gives page_colour its stand-ins: declarations for the dark page's root.
inline std::string dark_colours() {
  std::string text;
  const auto add = [&text](const Colour& colour) {
    text += std::string("--c") + (colour.light + 1) + ":" + colour.dark + ";";
  };
  for (const Colour& colour : kColours) add(colour);
  add(kPrior);
  return text;
}

}  // namespace epsfree
