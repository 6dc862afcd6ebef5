// One number of a sparse vector, index and value side by side so that both are one stream of
// memory.
#pragma once
#include <span>

#include "linnet/base/types.hpp"

namespace linnet {

struct Entry {
  Id row;  // of the weight block in a copied row of data; the instance in a column
  float value;
};
using Entries = std::span<const Entry>;

}  // namespace linnet
