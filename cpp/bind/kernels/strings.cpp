#include "bind/bind.hpp"
#include "linnet/kernels/gappy_strings.hpp"

namespace linnet::bind {

void string_kernels(nb::module_& m) {
  m.def(
      "gappy_kernel",
      [](Array<const Id> characters, Array<const Index> offsets,
         std::optional<Array<const Id>> other_characters,
         std::optional<Array<const Index>> other_offsets, int length, double decay, int threads) {
        const Strings s{view(characters), view(offsets)};
        const bool half = !other_characters || !other_offsets;
        const Strings t = half ? s : Strings{view(*other_characters), view(*other_offsets)};
        s.check();
        t.check();
        std::vector<double> out(static_cast<std::size_t>(s.size() * t.size()));
        {
          nb::gil_scoped_release release;
          GappyKernel(length, decay).matrix(s, t, out.data(), half, threads);
        }
        return to_numpy(std::move(out), static_cast<std::size_t>(std::max<Index>(t.size(), 1)));
      },
      nb::arg("characters"), nb::arg("offsets"), nb::arg("other_characters").none() = nb::none(),
      nb::arg("other_offsets").none() = nb::none(), nb::arg("length") = 3, nb::arg("decay") = 0.5,
      nb::arg("threads") = 1,
      "The gappy subsequence kernel of strings with others, or with one another.");
}

}  // namespace linnet::bind
