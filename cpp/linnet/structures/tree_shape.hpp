// What trees there may be, and the oracle that finds them.
#pragma once
#include <memory>

#include "linnet/structures/sibling_kernel.hpp"
#include "linnet/structures/tree_oracle.hpp"

namespace linnet {

struct TreeShape {
  bool projective = true, single_root = true;
  Id order = 1;  // 2: arcs see the sibling before them

  void check() const {
    if (order != 1 && order != 2) throw std::invalid_argument("trees are of order 1 or 2");
    if (order == 2 && !projective)
      throw std::invalid_argument(
          "no exact algorithm is known for non-projective trees of second order: use order 1");
  }
};

// The oracle of trees of some arcs; parts are arcs, then siblings.
inline std::unique_ptr<Oracle> tree_oracle(const TreeShape& shape, Arcs arcs) {
  if (!shape.projective)
    return std::make_unique<NonProjectiveOracle>(std::move(arcs), 1, shape.single_root);
  if (shape.order == 1)
    return std::make_unique<ProjectiveOracle>(Projective(std::move(arcs), 1, shape.single_root));
  return std::make_unique<SiblingsOracle>(Siblings(std::move(arcs), 1, shape.single_root));
}

}  // namespace linnet
