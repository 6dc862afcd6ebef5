#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/bind.hpp"
#include "linnet/losses/loss.hpp"

namespace linnet::bind {
namespace {

std::string ring_name(Ring ring) { return ring == Ring::max ? "max" : "log"; }
std::string link_name(Link link) {
  switch (link) {
    case Link::identity:
      return "identity";
    case Link::square:
      return "square";
    case Link::complement:
      return "complement";
    case Link::exponential:
      return "exponential";
    default:
      return "quadratic";
  }
}

}  // namespace

void losses(nb::module_& m) {
  m.def(
      "loss_table",
      [] {
        std::vector<std::tuple<std::string, std::string, double, std::string>> rows;
        for (const Loss& loss : kLosses)
          rows.emplace_back(std::string(loss.name), ring_name(loss.ring), loss.cost,
                            link_name(loss.link));
        return rows;
      },
      "The losses of the core: name, ring, cost, link.");
}

}  // namespace linnet::bind
