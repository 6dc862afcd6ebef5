// The bindings of the room `kernels`.
#pragma once
#include "bind/bind.hpp"

namespace linnet::bind {
void kernels(nb::module_& m);
void string_kernels(nb::module_& m);
void tree_kernels(nb::module_& m);
}  // namespace linnet::bind
