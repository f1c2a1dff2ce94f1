#include "epsfree/conditional_density.hpp"

namespace epsfree {

template class ConditionalDensity<float>;
template class ConditionalDensity<double>;

}  // namespace epsfree
