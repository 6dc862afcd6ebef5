// Templates of the pieces of a tree in a second look: of a phrase; of two neighbours among its
// children, or one of them and the end; of its head and one child. They share a table of weights.
#pragma once
#include "linnet/phrases/head_rules.hpp"
#include "linnet/phrases/phrase_templates.hpp"

namespace linnet {

// What templates and rules of heads call labels: a label may be several names over the same words.
class LabelCodes {
 public:
  // By label: codes of its names, from the outermost to the innermost. Tags have the codes from
  // `names` on.
  LabelCodes(std::vector<std::vector<Id>> of_labels, Id names)
      : of_labels_(std::move(of_labels)), names_(names) {
    for (const auto& each : of_labels_)
      if (each.empty() ||
          std::any_of(each.begin(), each.end(), [&](Id code) { return code < 0 || code >= names; }))
        throw std::invalid_argument("a label has no names, or one that is out of range");
  }
  Id labels() const { return static_cast<Id>(of_labels_.size()); }
  std::span<const Id> all(Id label) const { return of_labels_[static_cast<std::size_t>(label)]; }
  Id outer(Id label) const { return all(label).front(); }
  Id inner(Id label) const { return all(label).back(); }
  Id of_tag(Id tag) const { return names_ + tag; }

 private:
  std::vector<std::vector<Id>> of_labels_;
  Id names_;
};

class ForestTemplates {
 public:
  ForestTemplates(const std::vector<PhraseTemplate>& phrase,
                  const std::vector<PhraseTemplate>& pair, const std::vector<PhraseTemplate>& child,
                  Id sets, Index weights)
      : phrase_(phrase, sets, kPhrase, true),
        pair_(pair, sets, kPair, true),
        child_(child, sets, kChild, true),
        weights_(weights) {
    if (weights < 1 || weights > std::numeric_limits<Id>::max())
      throw std::invalid_argument("the number of weights is out of range");
  }
  Index weights() const { return weights_; }
  const PhraseTemplates& phrase() const { return phrase_; }
  const PhraseTemplates& pair() const { return pair_; }
  const PhraseTemplates& child() const { return child_; }
  LINNET_INLINE Id place(std::uint64_t hash) const {
    return static_cast<Id>(scaled(hash, static_cast<std::uint64_t>(weights_)));
  }

 private:
  using A = PhraseAnchor;
  static constexpr A kPhrase[] = {A::begin, A::end, A::head};
  static constexpr A kPair[] = {A::child,   A::child_end,    A::child_head,
                                A::sibling, A::sibling_head, A::between};
  static constexpr A kChild[] = {A::head, A::child, A::child_end, A::child_head};

  PhraseTemplates phrase_, pair_, child_;
  Index weights_;
};

}  // namespace linnet
