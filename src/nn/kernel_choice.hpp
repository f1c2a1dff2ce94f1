// Chooses the kernels of this CPU.
#pragma once

#include "base/cpu.hpp"
#include "nn/kernels.hpp"

namespace epsfree {

template <class T>
Kernels<T> kernels_for(Isa isa);

/// For the best instruction set of this CPU.
template <class T>
const Kernels<T>& kernels();

}  // namespace epsfree
