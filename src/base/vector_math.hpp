// Elementary functions for kernel files (cmake/kernels.cmake): branch-free scalar forms, written so
// that the compiler vectorises any loop they are inlined into. Polynomials are minimax fits made
// for this file; errors stay below 3.5 units in the last place (tests/base/vector_math_test.cpp).
//
// Only for kernel files: everything lives in the namespace of the instruction set. Whether products
// and sums are fused differs between instruction sets, so their last bits may differ.
#pragma once

#include <stdint.h>

namespace epsfree::EPSFREE_ISA {

static inline uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
static inline uint64_t bits_of(double x) { return __builtin_bit_cast(uint64_t, x); }
static inline float float_of(uint32_t x) { return __builtin_bit_cast(float, x); }
static inline double double_of(uint64_t x) { return __builtin_bit_cast(double, x); }

static inline float lane_sqrt(float x) { return __builtin_sqrtf(x); }
static inline double lane_sqrt(double x) { return __builtin_sqrt(x); }
static inline float lane_abs(float x) { return __builtin_fabsf(x); }
static inline double lane_abs(double x) { return __builtin_fabs(x); }
/// NaN in x stays NaN.
template <class T>
static inline T lane_clamp(T x, T low, T high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

/// e^x = scale * (1 + tail) with scale = 2^n, |tail| <= 0.42, for x within [-86.9, 88.8].
/// The scale is given halved: 2^128 is not a float.
static inline void split_exp(float x, float& half_scale, float& tail) {
  const float magic = 0x1.8p23f;  // adding it rounds to an integer, which stands in the low bits
  const float shifted = x * 0x1.715476p+0f + magic;
  const float n = shifted - magic;
  float r = x - n * 0x1.62e4p-1f;  // ln 2 in two parts: the first product is exact
  r = r - n * 0x1.7f7d1cp-20f;
  float p = 0x1.6d6e4ap-10f;
  p = p * r + 0x1.1240a6p-7f;
  p = p * r + 0x1.5554ccp-5f;
  p = p * r + 0x1.555488p-3f;
  p = p * r + 0.5f;
  tail = p * (r * r) + r;
  half_scale = float_of((bits_of(shifted) + 126u) << 23);
}

/// The same for x within [-707.7, 709.8].
static inline void split_exp(double x, double& half_scale, double& tail) {
  const double magic = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep+0 + magic;
  const double n = shifted - magic;
  double r = x - n * 0x1.62e42feep-1;
  r = r - n * 0x1.a39ef35793c76p-33;
  double p = 0x1.af7ef4a3f4421p-26;
  p = p * r + 0x1.28a3d0392282ep-22;
  p = p * r + 0x1.71dde512a456cp-19;
  p = p * r + 0x1.a019a71eeef43p-16;
  p = p * r + 0x1.a01a01b7dc6cfp-13;
  p = p * r + 0x1.6c16c17df7e2ep-10;
  p = p * r + 0x1.111111110e1d2p-7;
  p = p * r + 0x1.5555555552e84p-5;
  p = p * r + 0x1.555555555555dp-3;
  p = p * r + 0.5;
  tail = p * (r * r) + r;
  half_scale = double_of((bits_of(shifted) + 1022u) << 52);
}

/// e^x. Infinite above the largest number; zero below 1.8e-38 (float) or 5e-308 (double).
static inline float lane_exp(float x) {
  float half_scale, tail;
  split_exp(lane_clamp(x, -86.9f, 88.8f), half_scale, tail);
  const float y = (half_scale * tail + half_scale) * 2.0f;
  return x < -86.9f ? 0.0f : y;
}
static inline double lane_exp(double x) {
  double half_scale, tail;
  split_exp(lane_clamp(x, -707.7, 709.8), half_scale, tail);
  const double y = (half_scale * tail + half_scale) * 2.0;
  return x < -707.7 ? 0.0 : y;
}

/// log x of a positive, normal, finite number; meaningless for any other.
static inline float lane_log(float x) {
  // x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const uint32_t t = bits_of(x) + (0x3f800000u - 0x3f3504f3u);
  const float e = static_cast<float>(static_cast<int32_t>(t >> 23) - 127);
  const float f = float_of((t & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float p = 0x1.1b5268p-4f;
  p = p * f - 0x1.e2d6c2p-4f;
  p = p * f + 0x1.e63e60p-4f;
  p = p * f - 0x1.fb446ap-4f;
  p = p * f + 0x1.233408p-3f;
  p = p * f - 0x1.5562ecp-3f;
  p = p * f + 0x1.99a538p-3f;
  p = p * f - 0x1.ffffeep-3f;
  p = p * f + 0x1.555546p-2f;
  const float square = f * f;
  const float low = p * (f * square) + e * 0x1.7f7d1cp-20f;
  return (low - 0.5f * square) + f + e * 0x1.62e4p-1f;
}
static inline double lane_log(double x) {
  const uint64_t t = bits_of(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  // No 64-bit integer to double conversion before AVX-512: the exponent trick instead.
  const double e = double_of((t >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  const double f = double_of((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  // log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)).
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 0x1.2f034d3cd1033p-3;
  p = p * z + 0x1.39a1f4cb25a4ap-3;
  p = p * z + 0x1.74663c6446dabp-3;
  p = p * z + 0x1.c71c52175761bp-3;
  p = p * z + 0x1.24924941dd26dp-2;
  p = p * z + 0x1.999999997ff6cp-2;
  p = p * z + 0x1.5555555555592p-1;
  const double half_square = 0.5 * f * f;
  const double low = s * (half_square + p * z) + e * 0x1.a39ef35793c76p-33;
  return (low - half_square) + f + e * 0x1.62e42feep-1;
}

/// tanh x, with full relative precision near zero.
static inline float lane_tanh(float x) {
  // tanh a = t / (t + 2), t = e^2a - 1; above 10 it is one in float.
  const float a = lane_abs(x);
  float half_scale, tail;
  split_exp(lane_clamp(a + a, 0.0f, 20.0f), half_scale, tail);
  const float scale = half_scale + half_scale;
  const float t = scale * tail + (scale - 1.0f);
  return __builtin_copysignf(t / (t + 2.0f), x);
}
static inline double lane_tanh(double x) {
  const double a = lane_abs(x);
  double half_scale, tail;
  split_exp(lane_clamp(a + a, 0.0, 40.0), half_scale, tail);
  const double scale = half_scale + half_scale;
  const double t = scale * tail + (scale - 1.0);
  return __builtin_copysign(t / (t + 2.0), x);
}

/// Sine and cosine of 2 pi u, for u in [-1/8, 1/8].
static inline void sincos_octant(float u, float& sine, float& cosine) {
  const float z = u * u;
  float s = -0x1.2d9bb0p+6f;
  s = s * z + 0x1.465ec6p+6f;
  s = s * z - 0x1.4abbbap+5f;
  sine = u * (s * z + 0x1.921fb6p+2f);
  float c = 0x1.d9fad6p+5f;
  c = c * z - 0x1.55c66ep+6f;
  c = c * z + 0x1.03c1dep+6f;
  c = c * z - 0x1.3bd3ccp+4f;
  cosine = c * z + 1.0f;
}
static inline void sincos_octant(double u, double& sine, double& cosine) {
  const double z = u * u;
  double s = 0x1.e3f39c5272efcp+1;
  s = s * z - 0x1.e30071f9ed327p+3;
  s = s * z + 0x1.50782fda6644bp+5;
  s = s * z - 0x1.32d2cce2e6081p+6;
  s = s * z + 0x1.466bc677587fdp+6;
  s = s * z - 0x1.4abbce625be41p+5;
  sine = u * (s * z + 0x1.921fb54442d18p+2);
  double c = -0x1.b270320087edcp+0;
  c = c * z + 0x1.f9cc6bdfa2e7ap+2;
  c = c * z - 0x1.a6d1ecb8cf787p+4;
  c = c * z + 0x1.e1f50683b677cp+5;
  c = c * z - 0x1.55d3c7e3c95d8p+6;
  c = c * z + 0x1.03c1f081b5ab0p+6;
  c = c * z - 0x1.3bd3cc9be45dep+4;
  cosine = c * z + 1.0;
}

/// Sine and cosine of the angle `turn` / 2^32 of a full turn; the reduction to an octant is exact.
static inline void lane_sincos_turn(uint32_t turn, float& sine, float& cosine) {
  const uint32_t shifted = turn + 0x20000000u;  // so that the nearest quarter stands on top
  const int32_t rest = static_cast<int32_t>(shifted & 0x3fffffffu) - 0x20000000;
  float s, c;
  sincos_octant(static_cast<float>(rest) * 0x1p-32f, s, c);
  const uint32_t odd = 0u - ((shifted >> 30) & 1u);
  const uint32_t sine_sign = shifted & 0x80000000u;
  const uint32_t cosine_sign = (shifted ^ (shifted << 1)) & 0x80000000u;
  const uint32_t sb = bits_of(s), cb = bits_of(c);
  sine = float_of(((sb & ~odd) | (cb & odd)) ^ sine_sign);
  cosine = float_of(((cb & ~odd) | (sb & odd)) ^ cosine_sign);
}
/// The same for `turn` / 2^64, of which the upper 54 bits are used.
static inline void lane_sincos_turn(uint64_t turn, double& sine, double& cosine) {
  const uint64_t shifted = turn + 0x2000000000000000u;
  const double rest =
      double_of(((shifted & 0x3fffffffffffffffu) >> 10) | 0x4330000000000000u) - 0x1.8p52;
  double s, c;
  sincos_octant((rest + 0.5) * 0x1p-54, s, c);
  const uint64_t odd = uint64_t{0} - ((shifted >> 62) & 1u);
  const uint64_t sine_sign = shifted & 0x8000000000000000u;
  const uint64_t cosine_sign = (shifted ^ (shifted << 1)) & 0x8000000000000000u;
  const uint64_t sb = bits_of(s), cb = bits_of(c);
  sine = double_of(((sb & ~odd) | (cb & odd)) ^ sine_sign);
  cosine = double_of(((cb & ~odd) | (sb & odd)) ^ cosine_sign);
}

/// Uniform on (0, 1] from 32 random bits, fine near zero (down to 2^-32), rounded to float.
static inline float lane_uniform(uint32_t bits) {
  return (static_cast<float>(static_cast<int32_t>(bits >> 1)) + 0.5f) * 0x1p-31f;
}
/// Uniform on the open (0, 1) from 64 random bits: the middle of one of 2^52 cells, like Stream.
static inline double lane_uniform(uint64_t bits) {
  return (double_of((bits >> 12) | 0x3ff0000000000000u) - 1.0) + 0x1p-53;
}

/// Two standard normals from two random words (Box & Muller 1958). Floats reach 6.66 standard
/// deviations, doubles 8.57.
static inline void lane_box_muller(uint32_t a, uint32_t b, float& x, float& y) {
  float sine, cosine;
  lane_sincos_turn(b, sine, cosine);
  const float radius = lane_sqrt(-2.0f * lane_log(lane_uniform(a)));  // log(1) is exactly 0
  x = radius * cosine;
  y = radius * sine;
}
static inline void lane_box_muller(uint64_t a, uint64_t b, double& x, double& y) {
  double sine, cosine;
  lane_sincos_turn(b, sine, cosine);
  const double radius = lane_sqrt(-2.0 * lane_log(lane_uniform(a)));
  x = radius * cosine;
  y = radius * sine;
}

}  // namespace epsfree::EPSFREE_ISA
