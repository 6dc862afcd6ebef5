// The parts of trees over one sentence, f(x, A → B C, i, k, j): tags of words, labels of spans, and
// rules, which are tied: shared by all places.
#pragma once
#include <array>
#include <memory>

#include "linnet/charts/chart_grammar.hpp"
#include "linnet/inference/oracle.hpp"

namespace linnet {

// Which symbols may stand over which spans: where a coarser grammar has said no, those of a finer
// one need not be tried.
struct SpanFilter {
  std::vector<Id> coarse;  // of each symbol
  std::size_t words;       // of 64 bits for each span
  std::vector<std::uint64_t> bits;

  SpanFilter(std::vector<Id> coarse_, Id coarse_symbols, Id spans)
      : coarse(std::move(coarse_)),
        words(static_cast<std::size_t>(coarse_symbols + 63) / 64),
        bits(words * static_cast<std::size_t>(spans)) {}
  void allow(Id span, Id coarse_symbol) {
    bits[words * static_cast<std::size_t>(span) + static_cast<std::size_t>(coarse_symbol) / 64] |=
        std::uint64_t{1} << (coarse_symbol % 64);
  }
  bool any(Id span) const {
    const std::uint64_t* row = bits.data() + words * static_cast<std::size_t>(span);
    return std::any_of(row, row + words, [](std::uint64_t word) { return word != 0; });
  }
  bool allows(Id span, Id symbol) const {
    const Id c = coarse[symbol];
    return bits[words * static_cast<std::size_t>(span) + static_cast<std::size_t>(c) / 64] >>
               (c % 64) &
           1;
  }
};

// A phrase that a tree is known to have, whatever else it has; the label behind the last one: any
// that counts.
struct KnownPhrase {
  Id begin, end, label;
  bool is(const ChartGrammar& grammar, Id other) const {
    return label == other || (label == grammar.labels() && grammar.counts[other] != 0);
  }
};

// Parts, in order: (word, tag); (span, label), held once for each binary and unary rule whose
// parent has that label and these words, unless there are no spans; for each known phrase that it
// is missed; binary rules; unary rules.
struct ChartParts {
  std::shared_ptr<const ChartGrammar> grammar;
  Id length;
  bool spans;
  std::vector<KnownPhrase> known{};

  Id num_spans() const { return length * (length + 1) / 2; }
  // Spans by their ends, then from the longest to the shortest.
  static Id span_number(Id begin, Id end) { return (end - 1) * end / 2 + begin; }
  Id tag(Id t, Id number) const { return t * grammar->tags() + number; }
  Id span_begin() const { return length * grammar->tags(); }
  Id span(Id begin, Id end, Id label) const {
    return span_begin() + span_number(begin, end) * grammar->labels() + label;
  }
  Id missed(Id k) const { return span_begin() + (spans ? num_spans() * grammar->labels() : 0) + k; }
  Id rule(Id r) const { return missed(static_cast<Id>(known.size())) + r; }
  Id unary(Id r) const { return rule(grammar->size()) + r; }
  Id num_parts() const { return unary(grammar->unaries()); }

  static bool fits(const ChartGrammar& grammar, double length) {
    return length * grammar.tags() + length * (length + 1) / 2 * grammar.labels() + grammar.size() +
               grammar.unaries() + length <
           std::numeric_limits<Id>::max();
  }

  // A wrong tag costs 1, and so does a phrase that is not there, or not once too many.
  void add_cost(PartCounts gold, double scale, std::span<double> theta) const {
    add_hamming(0, span_begin(), gold, scale, theta);
    if (!spans) return;
    const Id labels = grammar->labels(), end = missed(0);
    const auto costs = [&](Id p) { return grammar->counts[(p - span_begin()) % labels] != 0; };
    for (Id p = span_begin(); p < end; ++p)
      if (costs(p)) theta[p] += scale;
    for (const auto& [p, count] : gold)
      if (p >= span_begin() && p < end && costs(p)) theta[p] -= scale * count;
  }
  void holdings(std::vector<Holding>& found) const {
    const Id labels = grammar->labels(), chain = grammar->chains;
    for (Id t = 0; t < length; ++t) found.push_back({tag(t, 0), tag(t + 1, 0), 1, 1});
    for (Id s = 0; spans && s < num_spans(); ++s)
      found.push_back({span_begin() + s * labels, span_begin() + (s + 1) * labels, 0, chain + 1});
    if (!known.empty()) found.push_back({missed(0), rule(0), 0, static_cast<Id>(known.size())});
    if (grammar->size()) found.push_back({rule(0), unary(0), length - 1, length - 1});
    if (grammar->unaries()) found.push_back({unary(0), num_parts(), 0, (2 * length - 1) * chain});
  }
};

}  // namespace linnet
