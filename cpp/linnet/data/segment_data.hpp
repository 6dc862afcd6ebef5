// Sentences cut into segments: tokens are rows of features, with a column of weights for being
// outside, and for being first, inside and last in a segment of each type; lengths and transitions
// are tied. Semi-Markov conditional random fields, and every other learner over segments.
#pragma once
#include "linnet/data/dataset.hpp"
#include "linnet/structures/semi_markov.hpp"

namespace linnet {

// Where the weights of each kind of part begin. Tokens are rows of padded(3 types + 1) from 0 on.
struct SegmentLayout {
  SemiMarkov shape;  // of one token
  Index lengths, transitions, end;
  SegmentLayout(Id types, Id num_lengths, Id longest, Index features)
      : shape{1, types, longest > 0 ? std::min(num_lengths, longest) : num_lengths, longest} {
    if (types < 1) throw std::invalid_argument("there must be at least one type of segments");
    if (num_lengths < 1 || longest < 0)
      throw std::invalid_argument("lengths of segments are 1 or more");
    if (!SemiMarkov::fits(1, types, num_lengths, longest))
      throw std::invalid_argument("there are too many types or lengths of segments");
    lengths = (features + 1) * padded(shape.columns());
    transitions = lengths + padded(shape.lengths * types);
    end = transitions + padded((types + 1) * (types + 1));
  }
  SemiMarkov of(Id length) const { return {length, shape.types, shape.lengths, shape.longest}; }
};

class SegmentData final : public Dataset {
 public:
  // codes: of all tokens, 0 outside, y = 1 .. types for the first of a segment, types + y for the
  // others. offsets: sentence i is tokens [offsets[i], offsets[i + 1]); empty ones are skipped.
  SegmentData(const Rows& rows, std::span<const Index> offsets, std::span<const Id> codes, Id types,
              Id lengths, Id longest, std::span<const double> weights)
      : rows_(rows),
        offsets_(offsets),
        codes_(codes),
        weights_(weights),
        layout_(types, lengths, longest, rows.features()) {
    if (static_cast<Index>(codes.size()) != rows.size())
      throw std::invalid_argument("there are " + std::to_string(rows.size()) + " tokens but " +
                                  std::to_string(codes.size()) + " codes");
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows.size())
      throw std::invalid_argument("offsets must run from 0 to the number of tokens");
    if (!weights.empty() && weights.size() + 1 != offsets.size())
      throw std::invalid_argument("one weight per sentence is needed");
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (offsets[i + 1] < offsets[i]) throw std::invalid_argument("offsets decrease");
      if (offsets[i + 1] == offsets[i]) continue;
      sentences_.push_back(static_cast<Index>(i));
      check_sentence(static_cast<Index>(i));
    }
  }

  Index size() const override { return static_cast<Index>(sentences_.size()); }
  Index dim() const override { return layout_.end; }
  Id width() const override { return layout_.shape.columns(); }
  const SegmentLayout& layout() const { return layout_; }
  std::vector<WeightBlock> blocks() const override {
    const Id types = layout_.shape.types, lengths = layout_.shape.lengths;
    return {{"tokens", 0, static_cast<Index>(rows_.features()) + 1, stride(), {width()}},
            {"lengths", layout_.lengths, 1, padded(lengths * types), {lengths, types}},
            {"transitions",
             layout_.transitions,
             1,
             padded((types + 1) * (types + 1)),
             {types + 1, types + 1}}};
  }

  Instance read(Index i, InstanceBuffer& buffer) const override {
    const Index sentence = sentences_[i];
    const SemiMarkov segments = layout_.of(length_of(sentence));
    buffer.sites.assign(1,
                        Group{&rows_, offsets_[sentence], segments.length, width(), stride(), 0});
    const auto tied = [&](Id width, Index base) {
      buffer.sites.push_back({&constant_row(), 0, 1, width, padded(width), base});
    };
    tied(segments.lengths * segments.types, layout_.lengths);
    tied((segments.types + 1) * (segments.types + 1), layout_.transitions);
    buffer.gold.clear();
    segments.parts_of(codes_of(sentence), [&](Id p) { buffer.gold.emplace_back(p, 1.0); });
    buffer.oracle = std::make_unique<OracleOf<SemiMarkov>>(segments);
    return {buffer.sites, buffer.oracle.get(), buffer.gold,
            weights_.empty() ? 1 : weights_[sentence]};
  }

 private:
  Id length_of(Index i) const { return static_cast<Id>(offsets_[i + 1] - offsets_[i]); }
  std::span<const Id> codes_of(Index i) const {
    return codes_.subspan(static_cast<std::size_t>(offsets_[i]),
                          static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
  }

  void check_sentence(Index i) const {
    const auto [length, types, lengths, longest] = layout_.of(length_of(i));
    const std::string where = "sentence " + std::to_string(i);
    if (!SemiMarkov::fits(static_cast<double>(offsets_[i + 1] - offsets_[i]), types, lengths,
                          longest))
      throw std::invalid_argument(where + " has more than 2^31 parts");
    Id found = 0;
    const Id fault = layout_.of(length).fault(codes_of(i), found);
    if (fault >= 0)
      throw std::invalid_argument(where + ", token " + std::to_string(fault) +
                                  ": its code makes no segment");
    if (longest > 0 && found > longest)
      throw std::invalid_argument(where + " has a segment of " + std::to_string(found) +
                                  " tokens, the longest allowed is " + std::to_string(longest));
  }

  const Rows& rows_;
  std::span<const Index> offsets_;
  std::span<const Id> codes_;
  std::span<const double> weights_;
  SegmentLayout layout_;
  std::vector<Index> sentences_;  // those that are not empty
};

}  // namespace linnet
