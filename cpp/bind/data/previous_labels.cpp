#include "linnet/features/previous_labels.hpp"

#include "bind/bind.hpp"

namespace linnet::bind {

void previous_labels(nb::module_& m) {
  m.def(
      "previous_label_rows",
      [](const Rows& rows, Array<const Index> offsets, Array<const Id> labels, Id num_labels,
         bool ends, const Rows* pairs) {
        const auto at = view(offsets);
        const auto y = view(labels);
        if (at.empty() || at.front() != 0 || at.back() != rows.size() ||
            !std::is_sorted(at.begin(), at.end()) || static_cast<Index>(y.size()) != rows.size() ||
            (pairs && pairs->size() != rows.size()))
          throw std::invalid_argument("rows, offsets and labels do not fit each other");
        for (Id label : y)
          if (label < 0 || label >= num_labels)
            throw std::invalid_argument("a label id is out of range");
        std::optional<PreviousLabelRows> made;
        {
          nb::gil_scoped_release nogil;
          made.emplace(rows, at, y, num_labels, ends, pairs);
        }
        return nb::make_tuple(to_numpy<Index>(std::move(made->indptr)),
                              to_numpy<Id>(std::move(made->index)),
                              to_numpy<float>(std::move(made->value)), made->features);
      },
      nb::arg("rows"), nb::arg("offsets"), nb::arg("labels"), nb::arg("num_labels"),
      nb::arg("ends"), nb::arg("pairs").none() = nb::none(),
      nb::sig("def previous_label_rows(rows: Rows, offsets: NDArray[numpy.int64], labels: "
              "NDArray[numpy.int32], num_labels: int, ends: bool, pairs: Rows | None = None) -> "
              "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], int]"),
      "CSR rows of tokens that see the label before them, and the number of their features.");
}

}  // namespace linnet::bind
