// Which instruction set the kernels of cmake/kernels.cmake run with.
#pragma once

namespace epsfree {

enum class Isa { baseline, avx2, avx512 };

/// The best that this CPU has and that was compiled.
Isa best_isa();
const char* to_string(Isa isa);

}  // namespace epsfree
