#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <functional>
#include <tuple>
#include <variant>

#include "bind/state.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/optimisers/gradient_ascent.hpp"
#include "linnet/optimisers/interior_point.hpp"
#include "linnet/optimisers/lbfgs.hpp"
#include "linnet/optimisers/newton_cg.hpp"
#include "linnet/optimisers/nonlinear_cg.hpp"
#include "linnet/optimisers/owlqn.hpp"

namespace linnet::bind {
namespace {

using InArray = Array<const double>;

void check_size(const Objective& f, std::size_t size) {
  if (static_cast<Index>(size) != f.dim())
    throw std::invalid_argument("expected an array of " + std::to_string(f.dim()) +
                                " numbers, got " + std::to_string(size));
}

// Any function of Python's. The callables return fresh arrays.
class FunctionObjective : public Objective {
 public:
  FunctionObjective(Index dim, nb::callable evaluate, std::optional<nb::callable> hessian_times,
                    std::optional<nb::callable> hessian_diagonal, double strong_convexity)
      : dim_(dim),
        strong_convexity_(strong_convexity),
        evaluate_(std::move(evaluate)),
        hessian_times_(std::move(hessian_times)),
        hessian_diagonal_(std::move(hessian_diagonal)) {}

  Index dim() const override { return dim_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    nb::gil_scoped_acquire gil;
    const auto [value, g] =
        nb::cast<std::tuple<double, InArray>>(evaluate_(nb::cast(copy_to_numpy(w))));
    fill(g, gradient);
    return value;
  }
  double strong_convexity() const override { return strong_convexity_; }
  bool has_hessian() const override { return hessian_times_.has_value(); }
  void hessian_times(std::span<const double> v, std::span<double> out) override {
    nb::gil_scoped_acquire gil;
    fill(nb::cast<InArray>((*hessian_times_)(nb::cast(copy_to_numpy(v)))), out);
  }
  bool hessian_diagonal(std::span<double> out) override {
    if (!hessian_diagonal_) return false;
    nb::gil_scoped_acquire gil;
    fill(nb::cast<InArray>((*hessian_diagonal_)()), out);
    return true;
  }

 private:
  void fill(const InArray& from, std::span<double> to) const {
    check_size(*this, from.shape(0));
    std::copy_n(from.data(), to.size(), to.begin());
  }
  Index dim_;
  double strong_convexity_;
  nb::callable evaluate_;
  std::optional<nb::callable> hessian_times_, hessian_diagonal_;
};

Vector each_l1(const Objective& f, const std::variant<double, InArray>& l1, Index unpenalised) {
  Vector each(static_cast<std::size_t>(f.dim()));
  if (const auto* given = std::get_if<InArray>(&l1)) {
    check_size(f, given->shape(0));
    std::copy_n(given->data(), each.size(), each.begin());
  } else {
    std::fill(each.begin(), each.end(), std::get<double>(l1));
  }
  if (unpenalised < 0 || unpenalised > f.dim())
    throw std::invalid_argument("unpenalised must be between 0 and the number of variables");
  std::fill_n(each.begin(), unpenalised, 0.0);
  return each;
}

void objectives(nb::module_& m) {
  nb::class_<Objective>(m, "Objective", "A smooth function to be minimised.")
      .def_prop_ro("dim", &Objective::dim)
      .def_prop_ro("has_hessian", &Objective::has_hessian)
      .def(
          "evaluate",
          [](Objective& f, InArray w) {
            check_size(f, w.shape(0));
            std::vector<double> gradient(w.shape(0));
            double value = 0;
            {
              nb::gil_scoped_release nogil;
              value = f.evaluate(view(w), gradient);
            }
            return nb::make_tuple(value, to_numpy<double>(std::move(gradient)));
          },
          nb::arg("w"), "The value and the gradient at w.")
      .def(
          "hessian_times",
          [](Objective& f, InArray v) {
            check_size(f, v.shape(0));
            if (!f.has_hessian()) throw std::invalid_argument("this objective has no Hessian");
            std::vector<double> out(v.shape(0));
            {
              nb::gil_scoped_release nogil;
              f.hessian_times(view(v), out);
            }
            return to_numpy<double>(std::move(out));
          },
          nb::arg("v"), "The product of the Hessian, at the last point evaluated, with v.")
      .def(
          "hessian_diagonal",
          [](Objective& f) -> std::optional<NumPy<double>> {
            std::vector<double> out(static_cast<std::size_t>(f.dim()));
            bool known = false;
            {
              nb::gil_scoped_release nogil;
              known = f.hessian_diagonal(out);
            }
            if (!known) return std::nullopt;
            return to_numpy<double>(std::move(out));
          },
          "The diagonal of the Hessian at the last point evaluated, or None.");

  nb::class_<FunctionObjective, Objective>(
      m, "FunctionObjective",
      "An objective from Python functions: evaluate(w) -> (value, gradient); hessian_times(v) and\n"
      "hessian_diagonal() are asked at the last point evaluated.")
      .def(nb::init<Index, nb::callable, std::optional<nb::callable>, std::optional<nb::callable>,
                    double>(),
           nb::arg("dim"), nb::arg("evaluate"), nb::arg("hessian_times").none() = nb::none(),
           nb::arg("hessian_diagonal").none() = nb::none(), nb::arg("strong_convexity") = 0.0);
}

// The constructors differ; all take the objective first, and the three numbers of Stopping last.
#define LINNET_STOPPING                                                  \
  nb::kw_only(), nb::arg("tol") = 1e-5, nb::arg("decrease_tol") = 1e-10, \
                 nb::arg("reference") = 0.0, nb::keep_alive<1, 2>()

void minimisers(nb::module_& m) {
  nb::class_<Minimiser> bound(m, "Minimiser", "Minimises an Objective, an iteration at a time.");
  bind_state(bound)
      .def("epoch", &Minimiser::epoch, NoGil(), "One iteration.")
      .def(
          "restart",
          [](Minimiser& self, std::optional<InArray> weights) {
            if (weights)
              self.restart(view(*weights));
            else
              self.restart();
          },
          nb::arg("weights").none() = nb::none(),
          "Forget the past, and start from these weights, or from those written to `weights`.")
      .def_prop_ro("evaluations", &Minimiser::evaluations)
      .def_prop_ro(
          "weights",
          [](Minimiser& self) {
            return nb::ndarray<nb::numpy, double, nb::ndim<1>>(self.weights().data(),
                                                               {self.weights().size()});
          },
          nb::rv_policy::reference_internal, "The point reached: a view.");

  nb::class_<Lbfgs, Minimiser>(m, "LBFGS")
      .def(
          "__init__",
          [](Lbfgs* self, Objective& f, int history, double tol, double decrease_tol,
             double reference) { new (self) Lbfgs(f, {tol, decrease_tol, reference}, history); },
          nb::arg("objective"), nb::arg("history") = 10, LINNET_STOPPING);
  nb::class_<Owlqn, Minimiser>(m, "OWLQN")
      .def(
          "__init__",
          [](Owlqn* self, Objective& f, std::variant<double, InArray> l1, Index unpenalised,
             int history, double tol, double decrease_tol, double reference) {
            new (self)
                Owlqn(f, each_l1(f, l1, unpenalised), {tol, decrease_tol, reference}, history);
          },
          nb::arg("objective"), nb::arg("l1"), nb::arg("unpenalised") = 0, nb::arg("history") = 10,
          LINNET_STOPPING);
  nb::class_<NewtonCg, Minimiser>(m, "NewtonCG")
      .def(
          "__init__",
          [](NewtonCg* self, Objective& f, int cg_iterations, double tol, double decrease_tol,
             double reference) {
            new (self) NewtonCg(f, {tol, decrease_tol, reference}, cg_iterations);
          },
          nb::arg("objective"), nb::arg("cg_iterations") = 1000, LINNET_STOPPING)
      .def_prop_ro("hessian_products", &NewtonCg::hessian_products);
  nb::class_<NonlinearCg, Minimiser>(m, "NonlinearCG")
      .def(
          "__init__",
          [](NonlinearCg* self, Objective& f, double tol, double decrease_tol, double reference) {
            new (self) NonlinearCg(f, {tol, decrease_tol, reference});
          },
          nb::arg("objective"), LINNET_STOPPING);
  nb::class_<GradientAscent, Minimiser>(m, "GradientAscent")
      .def(
          "__init__",
          [](GradientAscent* self, Objective& f, double tol, double decrease_tol,
             double reference) { new (self) GradientAscent(f, {tol, decrease_tol, reference}); },
          nb::arg("objective"), LINNET_STOPPING);
}

// Margins over dense rows, for the tests.
nb::tuple solve_margins(Matrix<const double> d, InArray b, Array<const Index> sizes, InArray prices,
                        std::optional<Matrix<const double>> e, bool widest, double tol) {
  const std::size_t columns = d.shape(1), free = e ? e->shape(1) : 0;
  if (b.shape(0) != d.shape(0) || (e && e->shape(0) != d.shape(0)) ||
      sizes.shape(0) != prices.shape(0))
    throw std::invalid_argument("one bound for each row, one price for each group");
  MarginProgramme programme(static_cast<Id>(free));
  std::size_t j = 0;
  for (std::size_t g = 0; g < sizes.shape(0); ++g) {
    for (Index k = 0; k < sizes.data()[g] && j < d.shape(0); ++k, ++j) {
      for (std::size_t f = 0; f < columns; ++f)
        if (const double x = d.data()[j * columns + f]; x != 0)
          programme.add(static_cast<Index>(f), x);
      programme.end_row(b.data()[j], {e ? e->data() + j * free : nullptr, free});
    }
    programme.end_group(prices.data()[g]);
  }
  if (j != d.shape(0)) throw std::invalid_argument("every row is in one group");
  MarginSolution found;
  {
    nb::gil_scoped_release nogil;
    const double radius = programme.radius(), negligible = widest ? 1e-12 * radius * radius : 0;
    found = InteriorPoint(widest ? programme.widest() : programme, tol, negligible).solve();
  }
  std::vector<double> w(columns, 0.0);
  for (std::size_t k = 0; k < found.columns.size(); ++k)
    w[static_cast<std::size_t>(found.columns[k])] = found.w[k];
  return nb::make_tuple(to_numpy<double>(std::move(found.a)), to_numpy<double>(std::move(w)),
                        to_numpy<double>(std::move(found.v)));
}

}  // namespace

void optimisers(nb::module_& m) {
  objectives(m);
  minimisers(m);

  m.def("solve_margins", &solve_margins, nb::arg("d"), nb::arg("b"), nb::arg("sizes"),
        nb::arg("prices"), nb::arg("e").none() = nb::none(), nb::arg("widest") = false,
        nb::arg("tol") = 1e-9,
        "Multipliers a, weights w and free weights v that minimise ½‖w‖² + Σ prices ξ such that\n"
        "d w + e v >= b − ξ, one ξ for each group of rows; or that make the least margin widest.");

  m.def(
      "strong_wolfe",
      [](const std::function<std::pair<double, double>(double)>& phi, double first, double decrease,
         double curvature) -> std::optional<std::tuple<double, double, double>> {
        const auto sample = [&](double t) {
          const auto [value, slope] = phi(t);
          return Sample{t, std::isfinite(value) ? value : kInf, slope};
        };
        const auto found = strong_wolfe(sample, sample(0), first, {decrease, curvature});
        if (!found) return std::nullopt;
        return std::tuple(found->step, found->value, found->slope);
      },
      nb::arg("phi"), nb::arg("first") = 1.0, nb::arg("decrease") = 1e-4,
      nb::arg("curvature") = 0.9,
      "A step satisfying the strong Wolfe conditions for phi(t) -> (value, slope).");

  m.def(
      "testing_parallel_sum",
      [](Index tasks, int threads, Index failing, bool nested) {
        std::vector<double> part(static_cast<std::size_t>(tasks));
        parallel_for(tasks, threads, [&](Index t) {
          if (t >= failing) throw std::runtime_error("task " + std::to_string(t) + " failed");
          std::vector<double> terms(1000);
          parallel_for(nested ? 1000 : 0, threads, [&](Index k) {
            terms[static_cast<std::size_t>(k)] = 1.0 / static_cast<double>(1 + t * 1000 + k);
          });
          double sum = 1.0 / static_cast<double>(1 + t);
          for (double x : terms) sum += x;
          part[static_cast<std::size_t>(t)] = sum;
        });
        double sum = 0;
        for (double x : part) sum += x;
        return sum;
      },
      nb::arg("tasks"), nb::arg("threads"), nb::arg("failing") = std::numeric_limits<Index>::max(),
      nb::arg("nested") = false, NoGil(), "For the tests of the pool.");
  m.def(
      "testing_pool_workers", [] { return ThreadPool::instance().workers(); },
      "For the tests of the pool.");
}

}  // namespace linnet::bind
