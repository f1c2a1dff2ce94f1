// Tail probabilities of the gamma and beta distributions and their inverses, which never throw and
// stay accurate far out.
#pragma once

namespace epsfree {

enum class Tail { lower, upper };

/// P(x' < x), or P(x' > x), of a gamma variable with this shape and rate 1.
double gamma_tail(double shape, double x, Tail tail);
/// The same of a beta variable.
double beta_tail(double a, double b, double x, Tail tail);

/// The x with the given tail probability in (0, 1). Solved for log x (for the beta's upper tail,
/// log(1 - x)), since Boost's own inverses throw where x nears the smallest doubles.
double gamma_tail_inverse(double shape, double probability, Tail tail);
double beta_tail_inverse(double a, double b, double probability, Tail tail);

}  // namespace epsfree
