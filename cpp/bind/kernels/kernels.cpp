#include "bind/bind.hpp"
#include "linnet/kernels/constraint_gram.hpp"
#include "linnet/kernels/vector_gram.hpp"
#include "linnet/learners/kernels/kernel_crammer_singer.hpp"
#include "linnet/learners/kernels/kernel_perceptron.hpp"
#include "linnet/learners/kernels/smo.hpp"

namespace linnet::bind {
namespace {

VectorKernel kernel_of(std::string_view form, int degree, double scale, double constant,
                       double precision) {
  VectorKernel kernel{named<KernelForm>("kernel", form,
                                        {{"linear", KernelForm::linear},
                                         {"polynomial", KernelForm::polynomial},
                                         {"gaussian", KernelForm::gaussian}}),
                      degree, static_cast<float>(scale), static_cast<float>(constant),
                      static_cast<float>(precision)};
  kernel.check();
  return kernel;
}

template <class Real>
void dense(nb::module_& m, const char* name) {
  nb::class_<DenseGram<Real>, GramRows>(m, name, "A Gram matrix that was computed beforehand.")
      .def(
          "__init__",
          [](DenseGram<Real>* self, Matrix<const Real> values) {
            if (values.shape(0) != values.shape(1))
              throw std::invalid_argument("a Gram matrix has as many rows as columns");
            for (std::size_t k = 0; k < values.size(); ++k)
              if (!std::isfinite(static_cast<float>(values.data()[k])))
                throw std::invalid_argument("a value of the kernel is no finite float32");
            new (self) DenseGram<Real>(values.data(), static_cast<Index>(values.shape(0)));
          },
          in_place("values"), nb::keep_alive<1, 2>());
}

nb::tuple told(SmoSolution&& found) {
  return nb::make_tuple(to_numpy<double>(std::move(found.beta)), found.intercept, found.objective,
                        found.violation, found.pairs, found.converged, found.interrupted);
}

void check_costs(std::span<const double> costs, std::size_t size) {
  if (costs.size() != size) throw std::invalid_argument("one cost for each example");
  for (double c : costs)
    if (!(c >= 0) || !std::isfinite(c))
      throw std::invalid_argument("costs must be finite, and 0 or more");
}

nb::tuple classify(GramCache& cache, Array<const double> signs, Array<const double> costs,
                   double tol, Index limit, bool shrinking) {
  const auto y = view(signs), c = view(costs);
  check_costs(c, y.size());
  SmoSolution found;
  {
    nb::gil_scoped_release release;
    std::vector<double> q(y.size());
    Smo::Side side{std::vector<double>(y.size()), std::vector<double>(y.size()), 0};
    for (std::size_t i = 0; i < y.size(); ++i) {
      q[i] = -y[i];
      side.low[i] = y[i] > 0 ? 0 : y[i] < 0 ? -c[i] : -kInf;
      side.high[i] = y[i] > 0 ? c[i] : y[i] < 0 ? 0 : kInf;
    }
    found = Smo(cache, std::move(q), {std::move(side)}, {tol, limit, shrinking}).solve();
  }
  return told(std::move(found));
}

nb::tuple regress(GramCache& cache, Array<const double> targets, Array<const double> costs,
                  double epsilon, double tol, Index limit, bool shrinking) {
  const auto z = view(targets), c = view(costs);
  check_costs(c, z.size());
  if (!(epsilon >= 0)) throw std::invalid_argument("epsilon must be 0 or more");
  SmoSolution found;
  {
    nb::gil_scoped_release release;
    const std::vector<double> zero(z.size(), 0.0);
    std::vector<double> q(z.size()), high(c.begin(), c.end()), low(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) q[i] = epsilon - z[i], low[i] = -c[i];
    std::vector<Smo::Side> sides{{zero, std::move(high), 0}, {std::move(low), zero, -2 * epsilon}};
    found = Smo(cache, std::move(q), std::move(sides), {tol, limit, shrinking}).solve();
  }
  return told(std::move(found));
}

nb::tuple crammer_singer(GramCache& cache, Array<const Id> labels, Array<const double> costs,
                         Id width, double tol, Index epochs, std::uint64_t seed) {
  JointKernelSolution found;
  {
    nb::gil_scoped_release release;
    found = KernelCrammerSinger(cache, view(labels), view(costs), width, seed).solve(tol, epochs);
  }
  return nb::make_tuple(to_numpy(std::move(found.tau), static_cast<std::size_t>(width)),
                        found.objective, found.gap, found.epochs, found.converged,
                        found.interrupted);
}

nb::tuple perceptron(GramCache& cache, Array<const Id> labels, Id width, double constant,
                     Index epochs, Index budget, Index shuffled, std::uint64_t seed) {
  KernelPerceptron learner(cache, view(labels), width, constant, budget, seed);
  bool interrupted;
  {
    nb::gil_scoped_release release;
    interrupted = !learner.train(epochs, shuffled);
  }
  const PerceptronHistory& h = learner.history();
  return nb::make_tuple(to_numpy(learner.coefficients(false), static_cast<std::size_t>(width)),
                        to_numpy(learner.coefficients(true), static_cast<std::size_t>(width)),
                        copy_to_numpy<Index>(h.example), copy_to_numpy<Id>(h.up),
                        copy_to_numpy<Id>(h.down), copy_to_numpy<double>(h.loss),
                        copy_to_numpy<Index>(h.survived), copy_to_numpy<Index>(learner.mistakes()),
                        interrupted);
}

NumPy<double, 2> votes(Matrix<const double> values, double constant, Array<const Index> example,
                       Array<const Id> up, Array<const Id> down, Array<const Index> survived,
                       Id width) {
  const Id labels = width == 1 ? 2 : width;
  if (up.shape(0) != example.shape(0) || down.shape(0) != example.shape(0) ||
      survived.shape(0) != example.shape(0) + 1 || width < 1)
    throw std::invalid_argument("the history of votes is damaged");
  for (std::size_t t = 0; t < example.shape(0); ++t)
    if (example.data()[t] < 0 || example.data()[t] >= static_cast<Index>(values.shape(1)) ||
        up.data()[t] < -1 || up.data()[t] >= width || down.data()[t] < -1 ||
        down.data()[t] >= width)
      throw std::invalid_argument("the history of votes is damaged");
  std::vector<double> out(values.shape(0) * static_cast<std::size_t>(labels), 0.0);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < values.shape(0); ++i)
      count_votes(values.data() + i * values.shape(1), constant, view(example), view(up),
                  view(down), view(survived), width,
                  out.data() + i * static_cast<std::size_t>(labels));
  }
  return to_numpy(std::move(out), static_cast<std::size_t>(labels));
}

}  // namespace

void kernels(nb::module_& m) {
  nb::class_<GramRows>(m, "GramRows", "A kernel over examples, some rows at a time.")
      .def_prop_ro("size", &GramRows::size);
  dense<float>(m, "DenseGram32");
  dense<double>(m, "DenseGram64");
  nb::class_<VectorGram, GramRows>(m, "VectorGram", "A kernel of vectors over sparse rows.")
      .def(
          "__init__",
          [](VectorGram* self, const Rows& rows, const std::string& form, int degree, double scale,
             double constant, double precision) {
            const VectorKernel kernel = kernel_of(form, degree, scale, constant, precision);
            nb::gil_scoped_release release;
            new (self) VectorGram(rows, kernel);
          },
          nb::arg("rows"), nb::arg("form"), nb::arg("degree") = 1, nb::arg("scale") = 1.0,
          nb::arg("constant") = 0.0, nb::arg("precision") = 1.0)
      .def("diagonal",
           [](const VectorGram& self) {
             std::vector<float> out;
             for (Index i = 0; i < self.size(); ++i) out.push_back(self.diagonal(i));
             return to_numpy<float>(std::move(out));
           })
      .def(
          "matrix",
          [](const VectorGram& self, const Rows& rows, int threads) {
            std::vector<float> out(static_cast<std::size_t>(rows.size() * self.size()));
            {
              nb::gil_scoped_release release;
              self.matrix(rows, out.data(), threads);
            }
            return to_numpy(std::move(out), static_cast<std::size_t>(self.size()));
          },
          nb::arg("rows"), nb::arg("threads") = 1, "K(x, row) for x of these rows.")
      .def(
          "scores",
          [](const VectorGram& self, const Rows& rows, Matrix<const float> weights, int threads) {
            const auto width = weights.shape(1);
            std::vector<double> out(static_cast<std::size_t>(rows.size()) * width);
            {
              nb::gil_scoped_release release;
              self.scores(rows, {weights.data(), weights.size()}, static_cast<Index>(width),
                          out.data(), threads);
            }
            return to_numpy(std::move(out), width);
          },
          nb::arg("rows"), nb::arg("weights"), nb::arg("threads") = 1,
          "K(x, row) times weights, for x of these rows.");
  nb::class_<GramCache>(m, "GramCache", "Rows of a kernel that are kept.")
      .def(nb::init<const GramRows&, std::size_t>(), nb::arg("gram"), nb::arg("bytes"),
           nb::keep_alive<1, 2>());
  nb::class_<ConstraintGram, GramRows>(m, "ConstraintGram",
                                       "Kesler's construction: constraints between labels.")
      .def(
          "__init__",
          [](ConstraintGram* self, GramCache& examples, Array<const Id> labels, Id width,
             double constant, bool with_zeros) {
            new (self) ConstraintGram(examples, view(labels), width, constant, with_zeros);
          },
          nb::arg("examples"), nb::arg("labels"), nb::arg("width"), nb::arg("constant") = 0.0,
          nb::arg("with_zeros") = false, nb::keep_alive<1, 2>());
  m.def("smo_classify", &classify, nb::arg("cache"), nb::arg("signs"), nb::arg("costs"),
        nb::arg("tol") = 1e-3, nb::arg("limit") = -1, nb::arg("shrinking") = true,
        "Coefficients, intercept, dual objective, violation, pairs, converged, interrupted. The "
        "coefficient of a sign of 0 is free, and its example asks for nothing.");
  m.def("smo_regress", &regress, nb::arg("cache"), nb::arg("targets"), nb::arg("costs"),
        nb::arg("epsilon") = 0.1, nb::arg("tol") = 1e-3, nb::arg("limit") = -1,
        nb::arg("shrinking") = true, "As smo_classify.");
  m.def("kernel_crammer_singer", &crammer_singer, nb::arg("cache"), nb::arg("labels"),
        nb::arg("costs"), nb::arg("width"), nb::arg("tol") = 1e-3, nb::arg("epochs") = 1000,
        nb::arg("seed") = 0, "Coefficients, objective, gap, epochs, converged, interrupted.");
  m.def("kernel_perceptron", &perceptron, nb::arg("cache"), nb::arg("labels"), nb::arg("width"),
        nb::arg("constant") = 0.0, nb::arg("epochs") = 10, nb::arg("budget") = 0,
        nb::arg("shuffled") = 0, nb::arg("seed") = 0,
        "Last and averaged coefficients, the updates (example, label up, label down, loss), "
        "survivals, mistakes of each pass, interrupted; from which pass on they are shuffled.");
  m.def("kernel_votes", &votes, nb::arg("values"), nb::arg("constant"), nb::arg("example"),
        nb::arg("up"), nb::arg("down"), nb::arg("survived"), nb::arg("width"),
        "Votes of all hypotheses that a perceptron went through, from kernel values.");
}

}  // namespace linnet::bind
