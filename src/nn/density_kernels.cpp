// The mixture density of appendix B and its gradient, for kDensityLanes examples side by side: each
// line of arithmetic below is one vector over examples. Compiled once per instruction set: see
// cmake/kernels.cmake for what may be included here.
#include "base/vector_math.hpp"
#include "nn/kernels.hpp"

// Lanes never depend on each other.
#define EPSFREE_LANES _Pragma("GCC ivdep") for (ptrdiff_t l = 0; l < kDensityLanes; ++l)

namespace epsfree::EPSFREE_ISA {
namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// The columns of one component: D means, D log-diagonal entries, then the upper triangle by rows.
template <class T>
struct Component {
  T* means;
  T* log_diagonal;
  T* upper;
  ptrdiff_t stride;

  Component(T* first, int dim, ptrdiff_t column_stride)
      : means(first),
        log_diagonal(first + dim * column_stride),
        upper(first + 2 * dim * column_stride),
        stride(column_stride) {}
};

// log N of one component; stores diag(U) and z = U (theta - m).
template <class T>
void log_normal(const Component<const T>& component, const T* __restrict targets, int dim,
                T* __restrict diagonal, T* __restrict z, T* __restrict log_prob) {
  const ptrdiff_t stride = component.stride;
  const T* upper = component.upper;
  EPSFREE_LANES log_prob[l] = static_cast<T>(-dim * kHalfLogTwoPi);
  for (int i = 0; i < dim; ++i) {
    T* __restrict d = diagonal + i * kDensityLanes;
    T sum[kDensityLanes];
    const T* log_diagonal = component.log_diagonal + i * stride;
    const T* mean_i = component.means + i * stride;
    const T* target_i = targets + i * stride;
    EPSFREE_LANES {
      const T logarithm = lane_clamp(log_diagonal[l], static_cast<T>(-kLogDiagonalLimit),
                                     static_cast<T>(kLogDiagonalLimit));
      d[l] = lane_exp(logarithm);
      sum[l] = d[l] * (target_i[l] - mean_i[l]);
      log_prob[l] += logarithm;
    }
    for (int j = i + 1; j < dim; ++j, upper += stride) {
      const T* mean_j = component.means + j * stride;
      const T* target_j = targets + j * stride;
      EPSFREE_LANES sum[l] += upper[l] * (target_j[l] - mean_j[l]);
    }
    T* __restrict zi = z + i * kDensityLanes;
    EPSFREE_LANES {
      zi[l] = sum[l];
      log_prob[l] -= T(0.5) * sum[l] * sum[l];
    }
  }
}

// Gradients of weight * log N, `weight` being coefficient times responsibility.
template <class T>
void log_normal_gradient(const Component<const T>& component, const T* __restrict targets, int dim,
                         const T* __restrict diagonal, const T* __restrict z,
                         const T* __restrict weight, const Component<T>& gradient,
                         T* __restrict d_targets) {
  const ptrdiff_t stride = component.stride;
  const T* upper = component.upper;
  T* d_upper = gradient.upper;
  for (int i = 0; i < dim; ++i) {
    T weighted_z[kDensityLanes];
    const T* zi = z + i * kDensityLanes;
    const T* d = diagonal + i * kDensityLanes;
    const T* log_diagonal = component.log_diagonal + i * stride;
    const T* mean_i = component.means + i * stride;
    const T* target_i = targets + i * stride;
    T* __restrict d_log_diagonal = gradient.log_diagonal + i * stride;
    T* __restrict d_mean_i = gradient.means + i * stride;
    EPSFREE_LANES {
      weighted_z[l] = weight[l] * zi[l];
      const T slope = weight[l] - weighted_z[l] * d[l] * (target_i[l] - mean_i[l]);
      d_log_diagonal[l] =
          lane_abs(log_diagonal[l]) <= static_cast<T>(kLogDiagonalLimit) ? slope : T(0);
      // Rows above i have added their part already (below), except in the first.
      d_mean_i[l] = (i == 0 ? T(0) : d_mean_i[l]) + weighted_z[l] * d[l];
    }
    for (int j = i + 1; j < dim; ++j, upper += stride, d_upper += stride) {
      const T* mean_j = component.means + j * stride;
      const T* target_j = targets + j * stride;
      T* __restrict d_mean_j = gradient.means + j * stride;
      EPSFREE_LANES {
        d_upper[l] = -weighted_z[l] * (target_j[l] - mean_j[l]);
        d_mean_j[l] = (i == 0 ? T(0) : d_mean_j[l]) + weighted_z[l] * upper[l];
      }
    }
  }
  if (d_targets == nullptr) return;
  for (int i = 0; i < dim; ++i) {
    const T* d_mean = gradient.means + i * stride;
    EPSFREE_LANES d_targets[i * stride + l] -= d_mean[l];
  }
}

// log sum_k exp(x_k) over `count` rows of lanes; NaN where one of them is.
template <class T>
void log_sum_exp(const T* __restrict x, ptrdiff_t row_stride, int count, T* __restrict result) {
  T largest[kDensityLanes];
  T sum[kDensityLanes];
  EPSFREE_LANES largest[l] = x[l];
  for (int k = 1; k < count; ++k) {
    const T* row = x + k * row_stride;
    EPSFREE_LANES largest[l] = row[l] > largest[l] ? row[l] : largest[l];
  }
  EPSFREE_LANES sum[l] = T(0);
  for (int k = 0; k < count; ++k) {
    const T* row = x + k * row_stride;
    EPSFREE_LANES sum[l] += lane_exp(row[l] - largest[l]);
  }
  // The logarithm of NaN is not: see lane_log.
  EPSFREE_LANES result[l] = sum[l] == sum[l] ? largest[l] + lane_log(sum[l]) : sum[l];
}

// `row` is the first of kDensityLanes examples.
template <class T>
void density_chunk(const DensityBatch<T>& batch, ptrdiff_t row) {
  const int dim = batch.target_dim;
  const int count = batch.num_components;
  const ptrdiff_t stride = batch.stride;
  const ptrdiff_t num_logits = count > 1 ? count : 0;
  const ptrdiff_t component_size = 2 * dim + dim * (dim - 1) / 2;
  const T* logits = batch.outputs + row;
  const T* components = logits + num_logits * stride;
  const T* targets = batch.targets + row;
  const T* coefficient = batch.coefficients + row;
  T* diagonals = batch.scratch;
  T* zs = diagonals + count * dim * kDensityLanes;
  T* joints = zs + count * dim * kDensityLanes;
  T* log_probs = batch.log_probs + row;

  T log_normaliser[kDensityLanes];
  if (count > 1) {
    log_sum_exp(logits, stride, count, log_normaliser);
  } else {
    EPSFREE_LANES log_normaliser[l] = T(0);
  }
  for (int k = 0; k < count; ++k) {
    const Component<const T> component(components + k * component_size * stride, dim, stride);
    T* joint = joints + k * kDensityLanes;
    const ptrdiff_t offset = k * dim * kDensityLanes;
    log_normal(component, targets, dim, diagonals + offset, zs + offset, joint);
    if (count > 1) EPSFREE_LANES joint[l] += logits[k * stride + l];
  }
  T log_joint[kDensityLanes];
  if (count > 1) {
    log_sum_exp(joints, kDensityLanes, count, log_joint);
  } else {
    EPSFREE_LANES log_joint[l] = joints[l];
  }
  EPSFREE_LANES log_probs[l] = log_joint[l] - log_normaliser[l];
  if (batch.d_outputs == nullptr) return;

  T* d_logits = batch.d_outputs + row;
  T* d_components = d_logits + num_logits * stride;
  T* d_targets = batch.d_targets == nullptr ? nullptr : batch.d_targets + row;
  if (d_targets != nullptr) {
    for (int i = 0; i < dim; ++i) EPSFREE_LANES d_targets[i * stride + l] = T(0);
  }
  for (int k = 0; k < count; ++k) {
    T weight[kDensityLanes];  // coefficient times responsibility
    if (count > 1) {
      const T* joint = joints + k * kDensityLanes;
      const T* logit = logits + k * stride;
      T* __restrict d_logit = d_logits + k * stride;
      EPSFREE_LANES {
        weight[l] = coefficient[l] * lane_exp(joint[l] - log_joint[l]);
        d_logit[l] = weight[l] - coefficient[l] * lane_exp(logit[l] - log_normaliser[l]);
      }
    } else {
      EPSFREE_LANES weight[l] = coefficient[l];
    }
    const ptrdiff_t first = k * component_size * stride;
    const Component<const T> component(components + first, dim, stride);
    const Component<T> gradient(d_components + first, dim, stride);
    const ptrdiff_t offset = k * dim * kDensityLanes;
    log_normal_gradient(component, targets, dim, diagonals + offset, zs + offset, weight, gradient,
                        d_targets);
  }
}

template <class T>
void density(const DensityBatch<T>& batch) {
  // The last chunk overlaps the one before it instead of being shorter: what it computes twice
  // comes out the same.
  for (ptrdiff_t row = 0; row < batch.rows; row += kDensityLanes) {
    const ptrdiff_t last = batch.rows - kDensityLanes;
    density_chunk(batch, row < last ? row : last);
  }
}

}  // namespace

void add_density_kernels(Kernels<float>& kernels) { kernels.density = density<float>; }
void add_density_kernels(Kernels<double>& kernels) { kernels.density = density<double>; }

}  // namespace epsfree::EPSFREE_ISA

#undef EPSFREE_LANES
