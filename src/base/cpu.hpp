// Which instruction set the kernels of cmake/kernels.cmake run with.
#pragma once

namespace epsfree {

enum class Isa { baseline, avx2, avx512 };

/// The best that this CPU has and that was compiled.
Isa best_isa();
const char* to_string(Isa isa);

/// The variant of a kernel for best_isa().
template <class Kernel>
Kernel best_kernel(Kernel baseline, Kernel avx2, Kernel avx512) {
  const Isa isa = best_isa();
  return isa == Isa::avx512 ? avx512 : isa == Isa::avx2 ? avx2 : baseline;
}

// Of the function `name`, of type Kernel, in the namespaces of the instruction sets. A macro since
// those of x86 exist there alone.
#if defined(__x86_64__)
#define EPSFREE_BEST_KERNEL(Kernel, name) \
  best_kernel<Kernel>(baseline::name, avx2::name, avx512::name)
#else
#define EPSFREE_BEST_KERNEL(Kernel, name) Kernel(baseline::name)
#endif

}  // namespace epsfree
