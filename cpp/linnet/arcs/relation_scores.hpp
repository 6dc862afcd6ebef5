// Scores of all relations of an arc, side by side, for arcs of one sentence after the other. What
// its head and its modifier say by themselves is summed once for each token and direction.
#pragma once
#include "linnet/arcs/arc_sentence.hpp"
#include "linnet/base/interrupt.hpp"

namespace linnet {

namespace detail {

// sum += the rows of these features; w: [features + 1][stride], the constant first.
LINNET_CLONES inline void add_rows(const float* LINNET_RESTRICT w, Id stride,
                                   const Id* LINNET_RESTRICT features, Id count,
                                   float* LINNET_RESTRICT sum) {
  const Id whole = stride / 8 * 8;
  for (Id k = 0; k < count; ++k) {
    const float* LINNET_RESTRICT row = w + (static_cast<Index>(features[k]) + 1) * stride;
    for (Id y = 0; y < whole; y += 8)
      for (Id j = 0; j < 8; ++j) sum[y + j] += row[y + j];
    for (Id y = whole; y < stride; ++y) sum[y] += row[y];
  }
}

}  // namespace detail

class RelationScores {
 public:
  // The caller keeps the tokens alive.
  RelationScores(const ArcTokens& tokens, Id width) : tokens_(tokens), width_(width) {
    if (tokens.templates().needs_tree())
      throw std::invalid_argument("relations of arcs to be chosen cannot look at the tree");
    if (width < 1 || (tokens.templates().features() + 1) * stride() > kMostWeights)
      throw std::invalid_argument("there are too many relations, or none, for this many features");
  }
  Id width() const { return width_; }
  Id stride() const { return padded(width_); }
  // Of weights: [features + 1][stride], the constant first, which has none.
  Index size() const { return (tokens_.templates().features() + 1) * stride(); }

  // The weights must stay as they are until the next sentence.
  void enter(Index sentence, const float* w) {
    w_ = w;
    sentence_.enter(tokens_, sentence);
    const auto size = static_cast<std::size_t>(place(sentence_.words() + 1, false));
    heads_.assign(size, 0);
    modifiers_.assign(size, 0);
    for (Id p = 0; p <= sentence_.words(); ++p)
      for (const bool right : {false, true}) {
        add(heads_.data() + place(p, right),
            [&](auto&& visit) { sentence_.each_of_head(p, right, visit); });
        add(modifiers_.data() + place(p, right),
            [&](auto&& visit) { sentence_.each_of_modifier(p, right, visit); });
      }
    sums_.resize(static_cast<std::size_t>(stride()));
  }
  std::span<const float> score(Id head, Id modifier) {
    const float *h = heads_.data() + place(head, head < modifier),
                *m = modifiers_.data() + place(modifier, head < modifier);
    for (Id y = 0; y < stride(); ++y) sums_[static_cast<std::size_t>(y)] = h[y] + m[y];
    steps_(arc_steps(head, modifier) + 8 * stride());
    add(sums_.data(), [&](auto&& visit) { sentence_.each_of_both(head, modifier, visit); });
    return {sums_.data(), static_cast<std::size_t>(width_)};
  }
  // The places of the weights of an arc with its relation.
  template <class Visit>
  void each_weight(Id head, Id modifier, Id relation, Visit&& visit) const {
    sentence_.each_feature(head, modifier, [&](Id f) { visit((f + 1) * stride() + relation); });
  }

 private:
  static constexpr Index kMostWeights = Index{1} << 30;

  Index place(Id token, bool right) const { return (Index{2} * token + right) * stride(); }
  template <class Each>
  void add(float* sums, Each&& each) {
    features_.clear();
    each([&](Id f, Id, Id) {
      features_.push_back(f);
      for (Id y = 0; y < stride(); y += 16)
        LINNET_PREFETCH(w_ + (static_cast<Index>(f) + 1) * stride() + y);
    });
    detail::add_rows(w_, stride(), features_.data(), static_cast<Id>(features_.size()), sums);
  }

  const ArcTokens& tokens_;
  Id width_;
  const float* w_ = nullptr;
  ArcSentence sentence_;
  std::vector<Id> features_;
  std::vector<float> heads_, modifiers_;  // [token][direction][stride]
  std::vector<float> sums_;               // [stride]
  Steps steps_;
};

}  // namespace linnet
