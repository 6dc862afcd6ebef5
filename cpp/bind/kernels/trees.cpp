#include <algorithm>

#include "bind/bind.hpp"
#include "linnet/kernels/fragment_weights.hpp"

namespace linnet::bind {
namespace {

TreeKernel tree_kernel(std::string_view form, double decay, double vertical) {
  TreeKernel kernel{named<TreeKernel::Form>("kernel", form,
                                            {{"subtree", TreeKernel::Form::subtree},
                                             {"subset", TreeKernel::Form::subset},
                                             {"partial", TreeKernel::Form::partial}}),
                    decay, vertical};
  kernel.check();
  return kernel;
}

NumPy<double, 2> matrix(const TreeSet& a, const TreeSet* b, const std::string& form, double decay,
                        double vertical, int threads) {
  const TreeKernel kernel = tree_kernel(form, decay, vertical);
  const TreeSet& other = b ? *b : a;
  std::vector<double> out(static_cast<std::size_t>(a.size() * other.size()));
  {
    nb::gil_scoped_release release;
    tree_matrix(kernel, a, other, out.data(), b == nullptr, threads);
  }
  return to_numpy(std::move(out), static_cast<std::size_t>(std::max<Index>(other.size(), 1)));
}

NumPy<double> diagonal(const TreeSet& trees, const std::string& form, double decay,
                       double vertical) {
  TreePairs pairs(tree_kernel(form, decay, vertical));
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    for (Index i = 0; i < trees.size(); ++i) out.push_back(pairs(trees[i], trees[i]));
  }
  return to_numpy<double>(std::move(out));
}

nb::tuple fragments(const TreeSet& trees, const std::string& form, double decay, Id size,
                    int bits) {
  if (bits < 1 || bits > 30) throw std::invalid_argument("bits must be from 1 to 30");
  TreeFragments of(tree_kernel(form, decay, 1), size);
  std::vector<Index> starts{0};
  std::vector<Id> features;
  std::vector<float> values;
  {
    nb::gil_scoped_release release;
    std::vector<std::pair<Id, double>> row;
    for (Index i = 0; i < trees.size(); ++i) {
      row.clear();
      of.each(trees[i], [&](Hash hash, Id productions) {
        row.push_back({static_cast<Id>(hash >> (64 - bits)), of.value(productions)});
        return true;
      });
      std::sort(row.begin(), row.end());
      for (std::size_t k = 0; k < row.size();) {
        double sum = 0;
        const Id feature = row[k].first;
        for (; k < row.size() && row[k].first == feature; ++k) sum += row[k].second;
        features.push_back(feature);
        values.push_back(static_cast<float>(sum));
      }
      starts.push_back(static_cast<Index>(features.size()));
    }
  }
  return nb::make_tuple(to_numpy<Index>(std::move(starts)), to_numpy<Id>(std::move(features)),
                        to_numpy<float>(std::move(values)));
}

}  // namespace

void tree_kernels(nb::module_& m) {
  nb::class_<TreeSet>(m, "TreeSet", "Ordered trees with labels, children before their parents.")
      .def(
          "__init__",
          [](TreeSet* self, Array<const Index> offsets, Array<const Hash> labels,
             Array<const Id> parents) {
            new (self) TreeSet(view(offsets), view(labels), view(parents));
          },
          nb::arg("offsets"), nb::arg("labels"), nb::arg("parents"))
      .def("__len__", &TreeSet::size)
      .def("matrix", &matrix, nb::arg("other").none(), nb::arg("form"), nb::arg("decay") = 0.4,
           nb::arg("vertical") = 0.4, nb::arg("threads") = 1,
           "A kernel of these trees with others, or with one another.")
      .def("diagonal", &diagonal, nb::arg("form"), nb::arg("decay") = 0.4,
           nb::arg("vertical") = 0.4, "The kernel of each tree with itself.")
      .def("fragments", &fragments, nb::arg("form"), nb::arg("decay") = 0.4, nb::arg("size") = 4,
           nb::arg("bits") = 18, "Hashed fragments: starts, features, values of sparse rows.");
  nb::class_<FragmentWeights>(m, "FragmentWeights", "A sum over trees, as weights of fragments.")
      .def(
          "__init__",
          [](FragmentWeights* self, const TreeSet& trees, Matrix<const double> weights,
             const std::string& form, double decay, Id size) {
            const TreeKernel kernel = tree_kernel(form, decay, 1);
            if (static_cast<Index>(weights.shape(0)) != trees.size())
              throw std::invalid_argument("one row of weights for each tree");
            nb::gil_scoped_release release;
            new (self) FragmentWeights(kernel, size, trees, {weights.data(), weights.size()},
                                       static_cast<Index>(weights.shape(1)));
          },
          nb::arg("trees"), nb::arg("weights"), nb::arg("form"), nb::arg("decay") = 0.4,
          nb::arg("size") = 5)
      .def("__len__", &FragmentWeights::size)
      .def(
          "scores",
          [](const FragmentWeights& self, const TreeSet& trees, bool normalised, int threads) {
            std::vector<double> out(static_cast<std::size_t>(trees.size() * self.width()));
            {
              nb::gil_scoped_release release;
              self.scores(trees, normalised, out.data(), threads);
            }
            return to_numpy(std::move(out), static_cast<std::size_t>(self.width()));
          },
          nb::arg("trees"), nb::arg("normalised") = false, nb::arg("threads") = 1,
          "Sums for other trees; normalised, divided by the root of the kernel with itself.");
}

}  // namespace linnet::bind
