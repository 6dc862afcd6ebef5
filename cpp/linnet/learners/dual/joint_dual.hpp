// A joint solver in float, half the memory traffic of double, that goes on in double when float can
// neither lower the gap nor vouch for it.
#pragma once
#include "linnet/learners/dual/dual_multiclass.hpp"

namespace linnet {

template <template <class> class Block>
class JointDual {
 public:
  using Rough = DualMulticlass<Block<float>>;
  using Fine = DualMulticlass<Block<double>>;

  JointDual(const Rows& rows, std::span<const Id> labels, std::span<const double> costs, Id width,
            bool free, double tolerance, std::uint64_t seed) {
    if (std::find(costs.begin(), costs.end(), kInf) == costs.end())
      rough_ = std::make_unique<Rough>(rows, labels, costs, width, free, tolerance, seed);
    else  // multipliers of hard margins may become large
      fine_ = std::make_unique<Fine>(rows, labels, costs, width, free, tolerance, seed);
  }

  EpochStats epoch() {
    if (fine_) return fine_->epoch();
    const EpochStats stats = rough_->epoch();
    if (!stats.converged && !stats.paused && rough_->wants_precision()) refine();
    return stats;
  }
  EpochStats certify() {
    return visit([](auto& solver) { return solver.certify(); });
  }
  bool fine() const { return fine_ != nullptr; }
  // The solver in double from now on.
  Fine& refine() {
    if (!fine_) fine_ = std::make_unique<Fine>(*rough_);
    if (!lent_) rough_.reset();
    return *fine_;
  }
  void state(Archive& a) {
    bool in_double = fine();
    a(in_double);
    Archive::require(in_double || !fine(), "it is in single precision");
    if (in_double) refine();
    visit([&](auto& solver) { solver.state(a); });
  }
  Pass& pass() {
    return visit([](auto& solver) -> Pass& { return solver.pass(); });
  }
  // Somebody holds views of the solver in use: it stays where it is.
  void lend() { lent_ = true; }
  template <class F>
  decltype(auto) visit(F&& f) {
    return fine_ ? f(*fine_) : f(*rough_);
  }

 private:
  std::unique_ptr<Rough> rough_;  // in use until there is the other
  std::unique_ptr<Fine> fine_;
  bool lent_ = false;
};

}  // namespace linnet
