#include "linnet/text/lines.hpp"

#include "bind/bind.hpp"
#include "linnet/text/hash.hpp"
#include "linnet/text/texts.hpp"

namespace linnet::bind {
namespace {

using Bytes = Array<const std::uint8_t>;

std::string_view chars(const Bytes& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.shape(0)};
}

void check_spans(const Bytes& buffer, std::span<const std::int64_t> starts,
                 std::span<const std::int64_t> ends) {
  if (starts.size() != ends.size()) throw std::invalid_argument("starts and ends differ in length");
  const auto size = static_cast<std::int64_t>(buffer.shape(0));
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (starts[i] < 0 || starts[i] > ends[i] || ends[i] > size)
      throw std::invalid_argument("a span lies outside the buffer");
}

auto lines_of(const Bytes& buffer, std::size_t first, int separator) {
  if (first > buffer.shape(0)) throw std::invalid_argument("first lies outside the buffer");
  Lines lines;
  {
    nb::gil_scoped_release nogil;
    lines = find_lines(chars(buffer), first, static_cast<char>(separator));
  }
  return nb::make_tuple(to_numpy<std::int64_t>(std::move(lines.starts)),
                        to_numpy<std::int64_t>(std::move(lines.ends)),
                        to_numpy<std::int64_t>(std::move(lines.splits)));
}

auto prefixed_of(const Bytes& buffer, const Array<const std::int64_t>& starts,
                 const Array<const std::int64_t>& ends, const std::string& prefix) {
  check_spans(buffer, view(starts), view(ends));
  Prefixed found;
  {
    nb::gil_scoped_release nogil;
    found = find_prefixed(chars(buffer), view(starts), view(ends), prefix);
  }
  return nb::make_tuple(to_numpy<std::int64_t>(std::move(found.starts)),
                        to_numpy<std::int64_t>(std::move(found.ends)),
                        to_numpy<std::int64_t>(std::move(found.offsets)),
                        to_numpy<std::int64_t>(std::move(found.texts)), found.stray);
}

std::uint64_t hash_texts(const Texts& texts, std::uint64_t before) {
  std::uint64_t h = before;
  for (std::string_view text : texts.views()) h = combine(h, hash_bytes(text));
  return h;
}

NumPy<std::uint64_t> text_hashes(const Texts& texts) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(static_cast<std::size_t>(texts.size()));
  for (std::string_view text : texts.views()) hashes.push_back(hash_bytes(text));
  return to_numpy<std::uint64_t>(std::move(hashes));
}

std::uint64_t combine_hashes(Array<const std::uint64_t> hashes, std::uint64_t before) {
  std::uint64_t h = before;
  for (std::uint64_t hash : view(hashes)) h = combine(h, hash);
  return h;
}

// The bytes of texts [begin, end) one after another, and where each begins.
nb::tuple bytes_of(const Texts& texts, Index begin, Index end) {
  begin = std::clamp<Index>(begin, 0, texts.size());
  end = std::clamp<Index>(end, begin, texts.size());
  std::vector<std::int64_t> offsets{0};
  std::string joined;
  for (Index i = begin; i < end; ++i) {
    joined += texts[i];
    offsets.push_back(static_cast<std::int64_t>(joined.size()));
  }
  return nb::make_tuple(nb::bytes(joined.data(), joined.size()),
                        to_numpy<std::int64_t>(std::move(offsets)));
}

}  // namespace

void lines(nb::module_& m) {
  m.def("find_lines", &lines_of, nb::arg("buffer"), nb::arg("first") = 0,
        nb::arg("separator") = static_cast<int>('\t'),
        "Starts, ends and first separators (-1: none) of the lines from byte `first` on.");
  m.def(
      "find_prefixed", &prefixed_of, nb::arg("buffer"), nb::arg("starts"), nb::arg("ends"),
      nb::arg("prefix"),
      "Starts and ends of the tokens with a prefix at the beginning of lines, the offsets of each "
      "line's tokens, where its text begins, and the first line with the prefix elsewhere (-1: "
      "none).");
  m.def("hash_texts", &hash_texts, nb::arg("texts"), nb::arg("before") = 0, NoGil(),
        "Of all texts, in their order, going on from the hash of those before them.");
  m.def("text_hashes", &text_hashes, nb::arg("texts"), "Of each text.");
  m.def("combine_hashes", &combine_hashes, nb::arg("hashes"), nb::arg("before") = 0, NoGil(),
        "`hash_texts` of texts with these hashes.");
  m.def("text_bytes", &bytes_of, nb::arg("texts"), nb::arg("begin"), nb::arg("end"),
        "The bytes of texts [begin, end) one after another, and the offsets of each.");
}

}  // namespace linnet::bind
