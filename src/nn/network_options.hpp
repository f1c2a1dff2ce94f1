// The options of networks and of their training, listed once (base/option_visitor.hpp).
#pragma once

#include "base/option_visitor.hpp"
#include "epsfree/mixture_density_network.hpp"
#include "epsfree/training.hpp"

namespace epsfree {

template <>
const std::vector<Schedule>& enum_values();
template <>
const std::vector<Activation>& enum_values();

void visit_fields(TrainingOptions& options, OptionVisitor& visit);
void visit_fields(NetworkOptions& options, OptionVisitor& visit);

}  // namespace epsfree
