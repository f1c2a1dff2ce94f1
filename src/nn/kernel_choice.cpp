#include "nn/kernel_choice.hpp"

namespace epsfree {

template <class T>
Kernels<T> kernels_for(Isa isa) {
  Kernels<T> kernels{};
#if defined(__x86_64__)
  if (isa == Isa::avx512) {
    avx512::add_layer_kernels(kernels);
    avx512::add_density_kernels(kernels);
    avx512::add_optimiser_kernels(kernels);
    avx512::add_product_kernels(kernels);
    return kernels;
  }
  if (isa == Isa::avx2) {
    avx2::add_layer_kernels(kernels);
    avx2::add_density_kernels(kernels);
    avx2::add_optimiser_kernels(kernels);
    avx2::add_product_kernels(kernels);
    return kernels;
  }
#else
  static_cast<void>(isa);
#endif
  baseline::add_layer_kernels(kernels);
  baseline::add_density_kernels(kernels);
  baseline::add_optimiser_kernels(kernels);
  baseline::add_product_kernels(kernels);
  return kernels;
}

template <class T>
const Kernels<T>& kernels() {
  static const Kernels<T> best = kernels_for<T>(best_isa());
  return best;
}

template Kernels<float> kernels_for(Isa);
template Kernels<double> kernels_for(Isa);
template const Kernels<float>& kernels();
template const Kernels<double>& kernels();

}  // namespace epsfree
