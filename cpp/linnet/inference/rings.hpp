// Rings: what it means to join the edges of a node, and how much of a node's adjoint flows back to
// one of its edges. The recursions themselves are written once, in solve.hpp.
#pragma once
#include <limits>

#include "linnet/base/math.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// v + d eps with eps^2 = 0: running the log ring over these gives Hessian-vector products.
struct Dual {
  double v = 0, d = 0;
  Dual() = default;
  Dual(double value, double tangent = 0) : v(value), d(tangent) {}
  friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
  friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
  Dual& operator+=(Dual b) { return *this = *this + b; }
  friend Dual exp(Dual a) {
    const double e = linnet::exp(a.v);
    return {e, e == 0 ? 0 : e * a.d};
  }
  friend Dual log(Dual a) { return {std::log(a.v), a.d / a.v}; }
};
inline double value_of(double x) { return x; }
inline double value_of(Dual x) { return x.v; }

// The best output. Equal scores go to the earlier edge, the one tie rule of the library; the winner
// is remembered rather than found again by comparing floats.
struct Max {
  using Value = double;
  static constexpr double kZero = -kInf, kOne = 0;
  static double times(double a, double b) { return a + b; }
  struct Sum {
    double best = -kInf;
    Id index = 0, edges = 0;
    void add(double x) {
      if (x > best) best = x, index = edges;
      ++edges;
    }
    double get() const { return best; }
    Id choice() const { return index; }
  };
  static double share(double, double, Id edge, Id choice) { return edge == choice ? 1 : 0; }
};

// All outputs, in log space: log-sum-exp that survives -inf and scores of any size.
template <class T>
struct LogOf {
  using Value = T;
  static constexpr double kZero = -kInf, kOne = 0;
  static T times(T a, T b) { return a + b; }
  struct Sum {
    double max = -kInf;
    T sum = 0;
    void add(T x) {
      using linnet::exp;
      const double v = value_of(x);
      if (v == -kInf) return;  // a clamped edge adds nothing (and -inf - -inf is NaN)
      if (v > max) {
        sum = sum * T(exp(max - v)) + exp(x - T(v));
        max = v;
      } else {
        sum += exp(x - T(max));
      }
    }
    T get() const {
      using std::log;
      return max == -kInf ? T(-kInf) : T(max) + log(sum);
    }
    Id choice() const { return 0; }
  };
  static T share(T edge, T node, Id, Id) {
    using linnet::exp;
    return value_of(edge) == -kInf ? T(0) : exp(edge - node);
  }
};
using Log = LogOf<double>;

// All outputs, with potentials already exponentiated: the fast way, in range after a shift.
struct Probability {
  using Value = double;
  static constexpr double kZero = 0, kOne = 1;
  static double times(double a, double b) { return a * b; }
  struct Sum {
    double sum = 0;
    void add(double x) { sum += x; }
    double get() const { return sum; }
    Id choice() const { return 0; }
  };
  static double share(double edge, double node, Id, Id) { return edge / node; }
};

}  // namespace linnet
