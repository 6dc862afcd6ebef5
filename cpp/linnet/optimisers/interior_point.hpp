// An interior point method for margin programmes (Mehrotra 1992): a few dozen Newton steps whatever
// the prices are, where descent may need millions of passes. With z_j the surplus of a margin and
// s_g what is left of a price, it follows a_j z_j = s_g ξ_g = μ as μ → 0. A first solution of the
// equations, for μ = 0, says how far μ may fall and corrects the second; where that leads nowhere,
// μ falls by a fixed factor. (Multipliers must have room on both sides: if the free weights alone
// can have all the margins, the only ones with Σ a_j e_j = t are zero, and nothing is found.)
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/optimisers/margin_equations.hpp"

namespace linnet {

class InteriorPoint {
 public:
  // Stops when what is left to gain is at most tol times the objective, or `negligible`.
  InteriorPoint(const MarginProgramme& programme, double tol, double negligible = 0,
                Equations equations = Equations::fewer)
      : programme_(programme),
        equations_(programme, equations),
        tol_(tol),
        negligible_(negligible) {}

  // About how many multiplications all of it takes, and how many numbers it keeps.
  double work() const { return kTypicalSteps * equations_.work(); }
  double memory() const { return equations_.memory(); }

  // The best point found; where rounding ends the way, that is not as good as was asked for.
  MarginSolution solve() {
    start();
    MarginSolution best;
    StopCheck stop;
    double least_error = kInf, least_left = kInf;
    int since = 0;
    for (int step = 0; step < kMostSteps; ++step) {
      find_residuals();
      if (const double error = relative_error(); step == 0 || error < least_error) {
        least_error = error == error ? error : kInf;
        best.a.assign(now_.a.begin(), now_.a.end());
        best.surplus.assign(now_.z.begin(), now_.z.end());
        best.slack.assign(now_.xi.begin(), now_.xi.end());
        best.rest.assign(now_.s.begin(), now_.s.end());
        best.w.assign(now_.w.begin(), now_.w.end());
        best.v.assign(now_.v.begin(), now_.v.end());
      }
      since = left_ < 0.8 * least_left ? 0 : since + 1;
      least_left = std::min(left_, least_left);
      best.interrupted = stop_now(stop);
      if (least_error <= 1 || since > kPatience || best.interrupted || !take_step()) break;
    }
    best.columns = equations_.columns();
    return best;
  }

 private:
  static constexpr int kMostSteps = 100, kTypicalSteps = 25, kPatience = 30;
  static constexpr double kCentre = 0.3;  // of μ

  // A point, or a direction.
  struct Point {
    Vector a, z;   // by row
    Vector s, xi;  // by group
    Vector w, v;
    void resize(std::size_t rows, std::size_t groups, std::size_t weights, std::size_t free) {
      for (Vector* x : {&a, &z}) x->assign(rows, 0.0);
      for (Vector* x : {&s, &xi}) x->assign(groups, 0.0);
      w.assign(weights, 0.0);
      v.assign(free, 0.0);
    }
    void add(double scale, const Point& d) {
      add_scaled(scale, d.a, a);
      add_scaled(scale, d.z, z);
      add_scaled(scale, d.s, s);
      add_scaled(scale, d.xi, xi);
      add_scaled(scale, d.w, w);
      add_scaled(scale, d.v, v);
    }
  };
  // What a direction (Δ) is to bring about.
  struct Residuals {
    Vector az;     // z Δa + a Δz, by row
    Vector z;      // D Δw + E Δv + Δξ − Δz
    Vector sxi;    // s Δξ + ξ Δs, by group
    Vector price;  // Σ Δa + Δs
    Vector w;      // Δw − Dᵀ Δa
    Vector v;      // Eᵀ Δa
    void resize(std::size_t rows, std::size_t groups, std::size_t weights, std::size_t free) {
      for (Vector* x : {&az, &z}) x->assign(rows, 0.0);
      for (Vector* x : {&sxi, &price}) x->assign(groups, 0.0);
      w.assign(weights, 0.0);
      v.assign(free, 0.0);
    }
  };

  // A step can take a second: the clock is looked at each time.
  static bool stop_now(StopCheck& stop) {
    for (int k = 0; k < 64; ++k)
      if (stop()) return true;
    return false;
  }
  std::size_t groups() const { return programme_.prices.size(); }
  bool priced(std::size_t g) const { return programme_.prices[g] < kInf; }
  template <class Visit>
  void each_row(std::size_t g, Visit&& visit) const {
    for (std::size_t j = programme_.groups[g]; j < programme_.groups[g + 1]; ++j) visit(j);
  }

  void start() {
    const std::size_t m = programme_.rows(), p = equations_.weights(), q = programme_.free();
    for (Point* x : {&now_, &step_, &again_}) x->resize(m, groups(), p, q);
    for (Residuals* x : {&wanted_, &missing_}) x->resize(m, groups(), p, q);
    t_.assign(m, 0.0);
    right_.assign(m, 0.0);
    room_.assign(groups(), kInf);
    double square = 0, bound = 0;
    for (double x : programme_.values) square += x * x;
    for (double b : programme_.bounds) bound = std::max(bound, std::abs(b));
    square = square > 0 ? square / static_cast<double>(std::max<std::size_t>(m, 1)) : 1;
    double a = bound / square, wanted = 0;
    for (double t : programme_.target) wanted = std::max(wanted, std::abs(t));
    if (wanted > 0) {
      a = wanted / static_cast<double>(m);
      bound = a * square;
    }
    unit_ = bound;
    for (std::size_t g = 0; g < groups(); ++g) {
      const auto size = static_cast<double>(programme_.groups[g + 1] - programme_.groups[g]);
      const double each = priced(g) ? std::min(a, programme_.prices[g] / (2 * size)) : a;
      each_row(g, [&](std::size_t j) { now_.a[j] = each; });
      if (!priced(g)) continue;
      now_.s[g] = programme_.prices[g] - (size > 0 ? size * each : 0);
      now_.xi[g] = bound;
    }
    for (std::size_t j = 0; j < m; ++j) equations_.add(j, now_.a[j], now_.w);
    for (std::size_t g = 0; g < groups(); ++g)
      each_row(g, [&](std::size_t j) { now_.z[j] = std::max(surplus(j, g), bound); });
  }
  // What z should be.
  double surplus(std::size_t j, std::size_t g) const {
    return equations_.margin(j, now_.w, now_.v) - programme_.bounds[j] + now_.xi[g];
  }

  // By how much the linear equations do not hold; the dual objective, too.
  void find_residuals() {
    std::copy(programme_.target.begin(), programme_.target.end(), wanted_.v.begin());
    std::fill(wanted_.w.begin(), wanted_.w.end(), 0.0);
    for (std::size_t g = 0; g < groups(); ++g) {
      wanted_.price[g] = priced(g) ? programme_.prices[g] - now_.s[g] : 0;
      each_row(g, [&](std::size_t j) {
        wanted_.z[j] = now_.z[j] - surplus(j, g);
        if (priced(g)) wanted_.price[g] -= now_.a[j];
        equations_.add(j, now_.a[j], wanted_.w);
        for (std::size_t k = 0; k < wanted_.v.size(); ++k)
          wanted_.v[k] -= equations_.e(j)[k] * now_.a[j];
      });
    }
    dual_ =
        dot(std::span<const double>(programme_.bounds), now_.a) - 0.5 * dot(wanted_.w, wanted_.w);
    add_scaled(-1, now_.w, wanted_.w);
  }
  // What is left to gain and to repair, in units of what is allowed.
  double relative_error() {
    const std::span<const double> target = programme_.target;
    double primal = 0.5 * dot(now_.w, now_.w) + dot(target, now_.v), worst = 0, all = 0;
    left_ = dot(now_.a, now_.z);
    for (std::size_t g = 0; g < groups(); ++g)
      if (priced(g)) {
        left_ += now_.s[g] * now_.xi[g];
        primal += programme_.prices[g] * now_.xi[g];
        worst = std::max(worst, std::abs(wanted_.price[g]) / programme_.prices[g]);
      }
    for (double r : wanted_.z) worst = std::max(worst, std::abs(r) / unit_);
    for (double a : now_.a) all += a;
    for (double u : wanted_.v) worst = std::max(worst, std::abs(u) / all);
    const double objective = std::max(std::abs(primal), std::abs(dual_));
    return std::max(left_ / std::max({tol_ * objective, negligible_, 1e-300}), worst / tol_);
  }

  bool take_step() {
    auto count = static_cast<double>(now_.a.size());
    for (std::size_t j = 0; j < now_.a.size(); ++j) t_[j] = now_.z[j] / now_.a[j];
    for (std::size_t g = 0; g < groups(); ++g)
      if (priced(g)) {
        room_[g] = now_.s[g] / now_.xi[g];
        ++count;
      }
    const double mu = left_ / count;
    equations_.factor(t_, room_);
    aim_at(0);
    find_direction();
    const double ratio = left_after(std::min(1.0, longest_step())) / left_;
    const double aim = mu * ratio * ratio * ratio;
    // To the μ within reach, with what the first solution left out.
    for (std::size_t j = 0; j < now_.a.size(); ++j) wanted_.az[j] += aim - step_.a[j] * step_.z[j];
    for (std::size_t g = 0; g < groups(); ++g) wanted_.sxi[g] += aim - step_.s[g] * step_.xi[g];
    find_direction();
    double length = std::min(1.0, 0.995 * longest_step());
    if (!(left_after(length) < left_)) {  // corrections like these can go round in circles
      aim_at(kCentre * mu);
      find_direction();
      length = std::min(1.0, 0.995 * longest_step());
    }
    if (!(length > 1e-12)) return false;
    now_.add(length, step_);
    return true;
  }

  void aim_at(double mu) {
    for (std::size_t j = 0; j < now_.a.size(); ++j) wanted_.az[j] = mu - now_.a[j] * now_.z[j];
    for (std::size_t g = 0; g < groups(); ++g)
      if (priced(g)) wanted_.sxi[g] = mu - now_.s[g] * now_.xi[g];
  }
  // Σ a z + Σ s ξ at the end of a step.
  double left_after(double length) const {
    double left = 0;
    for (std::size_t j = 0; j < now_.a.size(); ++j)
      left += (now_.a[j] + length * step_.a[j]) * (now_.z[j] + length * step_.z[j]);
    for (std::size_t g = 0; g < groups(); ++g)
      if (priced(g))
        left += (now_.s[g] + length * step_.s[g]) * (now_.xi[g] + length * step_.xi[g]);
    return left;
  }

  // The direction that brings about all that is wanted; what rounding left of it is made up for.
  void find_direction() {
    solve(wanted_, step_);
    find_missing();
    solve(missing_, again_);
    step_.add(1, again_);
  }
  // Every Δ by the formula that rounding disturbs least.
  void solve(const Residuals& r, Point& d) {
    for (std::size_t g = 0; g < groups(); ++g) {
      const double common = priced(g) ? (r.sxi[g] - now_.xi[g] * r.price[g]) / now_.s[g] : 0;
      each_row(g, [&](std::size_t j) { right_[j] = r.az[j] / now_.a[j] - common + r.z[j]; });
    }
    equations_.solve(right_, r.w, r.v, d.a, d.w, d.v);
    for (std::size_t g = 0; g < groups(); ++g) {
      double sum = 0, weight = 0;
      each_row(g, [&](std::size_t j) {
        d.z[j] = equations_.margin(j, d.w, d.v) - r.z[j];
        right_[j] = r.az[j] / now_.a[j] - d.z[j];
        sum += right_[j] / t_[j];
        weight += 1 / t_[j];
      });
      if (priced(g)) {
        d.xi[g] = (sum + r.sxi[g] / now_.xi[g] - r.price[g]) / (weight + room_[g]);
        d.s[g] = (r.sxi[g] - now_.s[g] * d.xi[g]) / now_.xi[g];
      }
      each_row(g, [&](std::size_t j) {
        if (!equations_.by_rows()) d.a[j] = (right_[j] - d.xi[g]) / t_[j];
        d.z[j] += d.xi[g];
      });
    }
  }
  void find_missing() {
    missing_ = wanted_;
    add_scaled(-1, step_.w, missing_.w);
    for (std::size_t g = 0; g < groups(); ++g) {
      if (priced(g)) {
        missing_.price[g] -= step_.s[g];
        missing_.sxi[g] -= now_.s[g] * step_.xi[g] + now_.xi[g] * step_.s[g];
      }
      each_row(g, [&](std::size_t j) {
        missing_.az[j] -= now_.z[j] * step_.a[j] + now_.a[j] * step_.z[j];
        missing_.z[j] -= equations_.margin(j, step_.w, step_.v) + step_.xi[g] - step_.z[j];
        if (priced(g)) missing_.price[g] -= step_.a[j];
        equations_.add(j, step_.a[j], missing_.w);
        for (std::size_t k = 0; k < missing_.v.size(); ++k)
          missing_.v[k] -= equations_.e(j)[k] * step_.a[j];
      });
    }
  }
  // As far as everything stays positive.
  double longest_step() const {
    double shrink = 1e-10;  // the largest −Δx / x
    const auto look = [&](double x, double dx) { shrink = std::max(shrink, -dx / x); };
    for (std::size_t j = 0; j < now_.a.size(); ++j) {
      look(now_.a[j], step_.a[j]);
      look(now_.z[j], step_.z[j]);
    }
    for (std::size_t g = 0; g < groups(); ++g)
      if (priced(g)) {
        look(now_.s[g], step_.s[g]);
        look(now_.xi[g], step_.xi[g]);
      }
    return 1 / shrink;
  }

  const MarginProgramme& programme_;
  MarginEquations equations_;
  double tol_, negligible_;
  double unit_ = 1;             // the size of a margin
  double dual_ = 0, left_ = 0;  // the dual objective; Σ a z + Σ s ξ
  Point now_, step_, again_;
  Residuals wanted_, missing_;
  Vector t_, room_, right_;
};

}  // namespace linnet
