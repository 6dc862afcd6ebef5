// What the bindings of this room share.
#pragma once
#include "bind/bind.hpp"

namespace linnet::bind {
void graph_data(nb::module_& m);
}  // namespace linnet::bind
