// The rooms of the core, and nothing else.
#include "bind.hpp"

NB_MODULE(_core, m) {
  using namespace linnet::bind;
  m.doc() = "The compiled core of Linnet.";
  base(m);
  features(m);
  coordinate_l1(m);
}
