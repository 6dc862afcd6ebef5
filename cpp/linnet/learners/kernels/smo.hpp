// Sequential minimal optimisation (Platt 1998) for
//
//     min ½ βᵀKβ + qᵀβ   with Σβ = 0 and low <= β <= high,
//
// by pairs: one variable rises, another falls by as much. With f = Kβ + q the best pair to first
// order is the least f that may rise and the largest that may fall, and the second is chosen to
// second order. At the optimum no f that may rise lies below one that may fall, by more than `tol`.
//
// A classifier has β = yα, q = −y, 0 <= α <= C; regression has two variables for each example, one
// in [0, C] with q = ε − z and one in [−C, 0] with q = −ε − z. Both share Kβ, so that f of the
// second is that of the first minus 2ε: one vector f, and one or two `Side`s of bounds.
//
// Where the cache does not hold all rows, examples at their bounds which will not move are set
// aside (shrinking): the rows of the others are shorter, and more of them are kept.
#pragma once
#include <cmath>
#include <optional>

#include "linnet/base/interrupt.hpp"
#include "linnet/kernels/gram_cache.hpp"
#include "linnet/learners/kernels/smo_steps.hpp"

namespace linnet {

struct SmoSettings {
  double tol = 1e-3;
  Index limit = -1;  // pairs; none if negative
  bool shrinking = true;
};

struct SmoSolution {
  std::vector<double> beta;  // of the examples; the sum over both sides
  double intercept = 0;
  double objective = 0;  // ½ βᵀKβ + qᵀβ, to be minimised
  double violation = 0;
  Index pairs = 0;
  bool converged = false, interrupted = false;
};

class Smo {
 public:
  // The bounds of the variables of one side, and by how much its f differs.
  struct Side {
    std::vector<double> low, high;
    double offset = 0;
  };

  Smo(GramCache& cache, std::vector<double> q, std::vector<Side> sides, const SmoSettings& settings)
      : cache_(cache), settings_(settings), n_(cache.size()), q_(std::move(q)) {
    if (static_cast<Index>(q_.size()) != n_) throw std::invalid_argument("one q for each example");
    for (const Side& side : sides)
      if (side.low.size() != q_.size() || side.high.size() != q_.size())
        throw std::invalid_argument("one pair of bounds for each example");
    if (!(settings.tol > 0)) throw std::invalid_argument("tol must be positive");
    const auto padded = static_cast<std::size_t>((n_ + 63) / 64 * 64);
    f_.assign(padded, 0.0);
    std::copy(q_.begin(), q_.end(), f_.begin());
    for (Side& side : sides) sides_.push_back({std::move(side), padded});
    diagonal_.assign(padded, 0.f);
    for (Index i = 0; i < n_; ++i) diagonal_[i] = cache.diagonal(i);
    active_.assign(cache.columns().begin(), cache.columns().end());
    if (static_cast<Index>(active_.size()) != n_) throw std::logic_error("columns were left out");
    for (Bounds& side : sides_)
      for (Index k = 0; k < n_; ++k) side.block(k, k);
  }

  SmoSolution solve() {
    SmoSolution found;
    StopCheck stop;
    const Index check_every = std::min<Index>(n_, 1000);
    Index next_check = check_every;
    bool whole = false;  // all examples were looked at near the optimum
    for (;; ++found.pairs) {
      if (stop()) {
        found.interrupted = true;
        break;
      }
      Pair pair = choose();
      found.violation = pair.violation;
      if (pair.violation <= settings_.tol) {
        if (shrunk()) {
          restore();
          whole = true;
          continue;
        }
        found.converged = true;
        break;
      }
      if (settings_.limit >= 0 && found.pairs >= settings_.limit) break;
      step(pair);
      if (settings_.shrinking && !cache_.holds_all() && found.pairs >= next_check) {
        next_check = found.pairs + check_every;
        if (!whole && pair.violation <= 10 * settings_.tol) {
          if (shrunk()) restore();
          whole = true;
        } else {
          shrink(pair);
        }
      }
    }
    if (shrunk()) restore();
    finish(found);
    return found;
  }

 private:
  struct Bounds {
    Side side;
    std::vector<double> beta;              // of all examples
    std::vector<double> no_rise, no_fall;  // of active ones: 0, or infinite where it is at a bound

    Bounds(Side given, std::size_t padded)
        : side(std::move(given)),
          beta(side.low.size(), 0.0),
          no_rise(padded, kInf),
          no_fall(padded, kInf) {}
    // Example i is the active one at `place`.
    void block(Index place, Index i) {
      no_rise[place] = beta[i] < side.high[i] ? 0 : kInf;
      no_fall[place] = beta[i] > side.low[i] ? 0 : kInf;
    }
  };
  struct Pair {
    std::size_t up_side = 0, down_side = 0;
    Index up = 0, down = 0;  // places
    double least = 0, largest = 0, violation = 0;
    const float *row_up = nullptr, *row_down = nullptr;
  };

  Index padded() const { return (static_cast<Index>(active_.size()) + 63) / 64 * 64; }
  bool shrunk() const { return static_cast<Index>(active_.size()) < n_; }

  Pair choose() {
    Pair pair;
    pair.least = kInf;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const Extreme found = first_of(f_.data(), sides_[s].no_rise.data(), padded());
      if (found.value + sides_[s].side.offset < pair.least)
        pair = {s, 0, found.place, 0, found.value + sides_[s].side.offset, 0, 0};
    }
    if (pair.least == kInf) return pair;
    const float* const row = fetch(pair.up);
    pair.row_up = row;
    pair.largest = -kInf;
    Partner best{0, -1, -kInf};
    float gains[64];
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const Bounds& side = sides_[s];
      const Partner found = partner_of(f_.data(), side.no_fall.data(), side.side.offset, pair.least,
                                       row, diagonal_.data(), diagonal_[pair.up], padded(), gains);
      pair.largest = std::max(pair.largest, found.largest);
      if (found.gain > best.gain) best = found, pair.down_side = s;
    }
    pair.violation = std::max(pair.largest - pair.least, 0.0);
    if (best.place < 0) pair.violation = 0;  // below the precision of a float
    pair.down = best.place;
    return pair;
  }
  // β of one rises and that of the other falls by the same step, to the minimum or to a bound.
  void step(Pair& pair) {
    pair.row_down = fetch(pair.down);
    Bounds &up = sides_[pair.up_side], &down = sides_[pair.down_side];
    const Index i = active_[pair.up], j = active_[pair.down];
    const double ahead = f_[pair.down] + down.side.offset - pair.least;
    const double curve = std::max(static_cast<double>(diagonal_[pair.up]) +
                                      static_cast<double>(diagonal_[pair.down]) -
                                      2 * static_cast<double>(pair.row_up[pair.down]),
                                  1e-12);
    const double room_up = up.side.high[i] - up.beta[i],
                 room_down = down.beta[j] - down.side.low[j];
    const double by = std::min({ahead / curve, room_up, room_down});
    up.beta[i] = by == room_up ? up.side.high[i] : up.beta[i] + by;
    down.beta[j] = by == room_down ? down.side.low[j] : down.beta[j] - by;
    move_along(f_.data(), pair.row_up, pair.row_down, by, static_cast<Index>(active_.size()));
    up.block(pair.up, i);
    down.block(pair.down, j);
  }

  const float* fetch(Index place) {
    return cache_.get(active_[place],
                      [&](Index most, std::vector<Index>& wanted) { expect(most, wanted); });
  }
  // Those that are furthest from where they should be will be asked for soon.
  void expect(Index most, std::vector<Index>& wanted) {
    std::vector<std::pair<double, Index>> best;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const Index i = active_[k];
      if (i == wanted[0] || cache_.has(i)) continue;
      double ahead = -kInf;
      for (const Bounds& side : sides_) {
        const double f = f_[k] + side.side.offset;
        if (side.no_rise[k] == 0) ahead = std::max(ahead, -f);
        if (side.no_fall[k] == 0) ahead = std::max(ahead, f);
      }
      best.push_back({-ahead, i});
    }
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(most), best.size());
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count), best.end());
    for (std::size_t k = 0; k < count; ++k) wanted.push_back(best[k].second);
  }

  // Sets aside what is at a bound and wants to be beyond it.
  void shrink(const Pair& pair) {
    std::vector<Index> kept;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      bool stays = false;
      for (const Bounds& side : sides_) {
        const double f = f_[k] + side.side.offset;
        const bool rises = side.no_rise[k] == 0, falls = side.no_fall[k] == 0;
        stays |= (rises && falls) || (rises && f <= pair.largest) || (falls && f >= pair.least);
      }
      if (stays) kept.push_back(static_cast<Index>(k));
    }
    if (kept.size() * 4 > active_.size() * 3) return;  // not worth the moving
    cache_.drop_columns(kept);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      active_[k] = active_[kept[k]];
      f_[k] = f_[kept[k]];
      diagonal_[k] = diagonal_[kept[k]];
    }
    active_.resize(kept.size());
    lay_out();
  }
  // All examples again, with what f has become of those set aside: Σ_j β_j K_ij + q_i.
  void restore() {
    std::vector<char> is_active(static_cast<std::size_t>(n_), 0);
    std::vector<double> f(static_cast<std::size_t>(n_));
    for (std::size_t k = 0; k < active_.size(); ++k)
      is_active[active_[k]] = 1, f[active_[k]] = f_[k];
    std::vector<Index> others, support;
    for (Index i = 0; i < n_; ++i) {
      if (!is_active[i]) others.push_back(i), f[i] = q_[i];
      if (beta(i) != 0) support.push_back(i);
    }
    const Index block = std::max<Index>(cache_.gram().together(), 1);
    std::vector<float> values(static_cast<std::size_t>(block) * others.size());
    for (std::size_t first = 0; first < support.size(); first += static_cast<std::size_t>(block)) {
      const std::span<const Index> some(
          support.data() + first,
          std::min(static_cast<std::size_t>(block), support.size() - first));
      std::vector<float*> rows;
      for (std::size_t r = 0; r < some.size(); ++r)
        rows.push_back(values.data() + r * others.size());
      cache_.gram().read(some, others, rows.data());
      for (std::size_t r = 0; r < some.size(); ++r)
        for (std::size_t k = 0; k < others.size(); ++k)
          f[others[k]] += beta(some[r]) * static_cast<double>(rows[r][k]);
    }
    cache_.restore();
    active_.assign(cache_.columns().begin(), cache_.columns().end());
    for (Index i = 0; i < n_; ++i) f_[i] = f[i], diagonal_[i] = cache_.diagonal(i);
    lay_out();
  }
  void lay_out() {
    for (Bounds& side : sides_) {
      std::fill(side.no_rise.begin(), side.no_rise.end(), kInf);
      std::fill(side.no_fall.begin(), side.no_fall.end(), kInf);
      for (std::size_t k = 0; k < active_.size(); ++k)
        side.block(static_cast<Index>(k), active_[k]);
    }
  }

  double beta(Index i) const {
    double sum = 0;
    for (const Bounds& side : sides_) sum += side.beta[i];
    return sum;
  }
  // b = −f of variables between their bounds, on average; else half-way between both sides.
  void finish(SmoSolution& found) {
    double sum = 0, free = 0, least = kInf, largest = -kInf;
    found.beta.resize(static_cast<std::size_t>(n_));
    for (Index i = 0; i < n_; ++i) {
      found.beta[i] = beta(i);
      for (const Bounds& side : sides_) {
        const double f = f_[i] + side.side.offset, b = side.beta[i];
        const bool rises = side.no_rise[i] == 0, falls = side.no_fall[i] == 0;
        if (rises && falls) sum += f, ++free;
        if (rises) least = std::min(least, f);
        if (falls) largest = std::max(largest, f);
        // ½ β (Kβ)_i + q_i β, where f of this side is (Kβ)_i + q_i + offset
        found.objective += b * (0.5 * (f_[i] - q_[i]) + q_[i] + side.side.offset);
      }
    }
    if (free > 0)
      found.intercept = -sum / free;
    else if (least < kInf && largest > -kInf)
      found.intercept = -(least + largest) / 2;
    else
      found.intercept = least < kInf ? -least : largest > -kInf ? -largest : 0;
  }

  GramCache& cache_;
  SmoSettings settings_;
  Index n_;
  std::vector<double> q_, f_;
  std::vector<Bounds> sides_;
  std::vector<float> diagonal_;
  std::vector<Index> active_;
};

}  // namespace linnet
