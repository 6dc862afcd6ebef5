// The second look at a sentence: all trees over the candidates of the first, where children see
// their neighbours and the head of their phrase. Heads do not depend on the tree: each phrase has
// that of the children which the first look finds likely. So a state is a phrase and the child that
// its row has come to, and each tree is derived once.
//
// Parts, each the sum of the weights of its features:
//   phrase   label over [i, j), with its head
//   pair     innermost label of the phrase; two neighbours among its children, or one and the end
//   child    innermost label of the phrase; its head, and one child
// Pairs and children of phrases that look alike to templates are the same parts.
#pragma once
#include "linnet/phrases/best_rows.hpp"
#include "linnet/phrases/forest_templates.hpp"
#include "linnet/structures/brackets/forest.hpp"

namespace linnet {

class PhraseForest {
 public:
  PhraseForest(const ForestTemplates& templates, const HeadRules& heads, const LabelCodes& labels)
      : templates_(templates), heads_(heads), labels_(labels) {}

  // The caller keeps all of them alive while the forest is in use. w: weights that will be looked
  // up.
  void enter(const PhraseSentence& sentence, const PhraseItems& items, const float* w) {
    sentence_ = &sentence;
    w_ = w;
    items_ = &items;
    find_heads();
    forest_ = Forest{};
    starts_.assign(1, 0);
    features_.clear();
    number_kinds();
    phrase_part_.clear();
    phrase_node_.clear();
    state_.resize(static_cast<std::size_t>(items.size()));
    for (Id q = 0; q < items.phrases(); ++q) add_phrase(q);
    for (Id q = 0; q < items.phrases(); ++q)
      if (items.candidate(q).begin == 0 && items.candidate(q).end == items.words())
        forest_.add({{phrase_node_[static_cast<std::size_t>(q)], -1}, {-1, -1}});
    forest_.close();
    forest_.parts = static_cast<Id>(starts_.size()) - 1;
  }
  const Forest& trees() const { return forest_; }
  // Do the candidates make a tree?
  bool any_tree() const {
    for (Id q = 0; q < items_->phrases(); ++q)
      if (items_->candidate(q).begin == 0 && items_->candidate(q).end == items_->words() &&
          rows_.value(items_->words() + q) > -kInf)
        return true;
    return false;
  }
  const PhraseItems& items() const { return *items_; }
  Id phrase_part(Id q) const { return phrase_part_[static_cast<std::size_t>(q)]; }
  Id head(Id item) const {
    const Id q = items_->phrase(item);
    return q < 0 ? item : head_[static_cast<std::size_t>(q)];
  }
  // Places of weights.
  std::span<const Id> features(Id part) const {
    const auto at = static_cast<std::size_t>(part);
    return std::span(features_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  // visit(part) for the parts of the tree that consists of the phrases in `in`. False if it is no
  // tree of this forest.
  template <class Visit>
  bool parts_of(const std::vector<std::uint8_t>& in, Visit&& visit) const {
    for (Id q = 0; q < items_->phrases(); ++q)
      if (in[at(q)] && !parts_of_row(q, in, visit)) return false;
    return true;
  }
  // Those of one of its phrases: itself, and what its children are.
  template <class Visit>
  bool parts_of_row(Id q, const std::vector<std::uint8_t>& in, Visit&& visit) const {
    bool all = true;
    const auto found = [&](Id part) { part < 0 ? void(all = false) : visit(part); };
    visit(phrase_part(q));
    row_of(q, in, [&](Id before, Id item) {
      found(known_pair(q, before, item));
      if (item >= 0) found(items_->may_hold(q, item) ? known_child(q, item) : -1);
    });
    return all;
  }
  // tell(kind, place of the weight, number of the template, piece) for the features of these parts.
  enum class Kind { phrase, pair, child };
  template <class Tell>
  void origins_of_row(Id q, const std::vector<std::uint8_t>& in, Tell&& tell) const {
    const auto all = [&](Kind kind, const PhraseTemplates& templates, const PhrasePiece& piece,
                         Id of) {
      templates.features(*sentence_, piece, static_cast<std::uint64_t>(of),
                         [&](std::uint64_t hash, std::size_t number) {
                           tell(kind, templates_.place(hash), number, piece);
                         });
    };
    const Id inner = labels_.inner(label(q));
    all(Kind::phrase, templates_.phrase(), phrase_piece(q), label(q));
    row_of(q, in, [&](Id before, Id item) {
      all(Kind::pair, templates_.pair(), pair_piece(before, item), inner);
      if (item >= 0) all(Kind::child, templates_.child(), child_piece(q, item), inner);
    });
  }

 private:
  using A = PhraseAnchor;
  static std::size_t at(Id i) { return static_cast<std::size_t>(i); }
  Id label(Id q) const { return items_->candidate(q).label; }
  // The code of what an item is called from outside.
  Id code(Id item) const {
    const Id q = items_->phrase(item);
    return q < 0 ? labels_.of_tag(sentence_->tag(item)) : labels_.outer(label(q));
  }

  // visit(the child before, child) along the children that phrase q has in a tree; -1: none.
  template <class Visit>
  void row_of(Id q, const std::vector<std::uint8_t>& in, Visit&& visit) const {
    const Candidate& phrase = items_->candidate(q);
    Id last = -1;
    for (Id place = phrase.begin; place < phrase.end;) {
      Id next = place;  // the longest item of the tree that begins here, or the word
      for (const Id item : items_->that_begin(place)) {
        const Id p = items_->phrase(item);
        if (p >= 0 && in[at(p)] && items_->may_hold(q, item) &&
            items_->end(item) >= items_->end(next))
          next = item;
      }
      visit(last, next);
      last = next;
      place = items_->end(next);
    }
    visit(last, Id{-1});
  }

  // A phrase that is expected to be there more often than not is worth something.
  void find_heads() {
    rows_.find(*items_, [&](Id q) { return exp(double{items_->candidate(q).log_p}) - 0.5; });
    head_.clear();
    for (Id q = 0; q < items_->phrases(); ++q) {
      codes_.clear();
      const auto row = rows_.children(q);
      for (const Id child : row) codes_.push_back(code(child));
      const Id place = row.empty() ? -1 : heads_.head(labels_.inner(label(q)), codes_);
      head_.push_back(place < 0 ? items_->candidate(q).begin : head(row[at(place)]));
    }
  }

  // Phrases with the same innermost label share pairs; with the same head, too, children.
  void number_kinds() {
    kind_.clear();
    headed_.clear();
    std::vector<Id> names;
    std::vector<std::pair<Id, Id>> with_heads;
    const auto number = [](auto& all, auto what) {
      const auto found = std::find(all.begin(), all.end(), what);
      if (found == all.end()) all.push_back(what);
      return static_cast<Id>(std::find(all.begin(), all.end(), what) - all.begin());
    };
    for (Id q = 0; q < items_->phrases(); ++q) {
      const Id inner = labels_.inner(label(q));
      kind_.push_back(number(names, inner));
      headed_.push_back(number(with_heads, std::pair(inner, head_[at(q)])));
    }
    // Neighbours: item b, then one of those that begin at its end, or the end of the phrase.
    neighbour_.assign(at(items_->size() + 1), 0);
    Id count = static_cast<Id>(items_->size()) + 1;  // with none before: the item, or nothing
    for (Id b = 0; b < items_->size(); ++b) {
      neighbour_[at(b)] = count;
      const Id end = items_->end(b);
      count += 1 + (end < items_->words() ? static_cast<Id>(items_->that_begin(end).size()) : 0);
    }
    rank_.resize(at(items_->size()));
    for (Id t = 0; t < items_->words(); ++t) {
      Id rank = 1;
      for (const Id item : items_->that_begin(t)) rank_[at(item)] = rank++;
    }
    pairs_ = count;
    pair_part_.assign(names.size() * at(pairs_), -1);
    child_part_.assign(with_heads.size() * at(items_->size()), -1);
  }
  Id& pair_slot(Id q, Id before, Id item) {
    const Id neighbours =
        before < 0 ? item + 1 : neighbour_[at(before)] + (item < 0 ? 0 : rank_[at(item)]);
    return pair_part_[at(kind_[at(q)]) * at(pairs_) + at(neighbours)];
  }
  Id& child_slot(Id q, Id item) {
    return child_part_[at(headed_[at(q)]) * at(items_->size()) + at(item)];
  }
  Id known_pair(Id q, Id before, Id item) const {
    return const_cast<PhraseForest*>(this)->pair_slot(q, before, item);
  }
  Id known_child(Id q, Id item) const {
    return const_cast<PhraseForest*>(this)->child_slot(q, item);
  }

  void add_phrase(Id q) {
    const Id part = phrase(q);
    phrase_part_.push_back(part);
    items_->rows(q, [&](Id item, std::span<const Id> from) {
      if (item < 0) {
        for (const Id b : from) forest_.add({{state_[at(b)], -1}, {part, pair(q, b, -1)}});
        phrase_node_.push_back(forest_.close());
        return;
      }
      const Id p = items_->phrase(item);
      const Id below = p < 0 ? -1 : phrase_node_[at(p)];
      const Id with_head = child(q, item);
      if (items_->begin(item) == items_->candidate(q).begin) {
        forest_.add({{below, -1}, {pair(q, -1, item), with_head}});
      } else {
        for (const Id b : from)
          forest_.add({{state_[at(b)], below}, {pair(q, b, item), with_head}});
      }
      state_[at(item)] = forest_.close();
    });
  }

  Id new_part(const PhraseTemplates& templates, const PhrasePiece& piece, Id label) {
    const std::size_t first = features_.size();
    features_.resize(first + templates.size());
    Id* next = features_.data() + first;
    templates.features(*sentence_, piece, static_cast<std::uint64_t>(label),
                       [&](std::uint64_t hash, std::size_t) {
                         *next = templates_.place(hash);
                         LINNET_PREFETCH(w_ + *next++);
                       });
    features_.resize(static_cast<std::size_t>(next - features_.data()));
    starts_.push_back(features_.size());
    return static_cast<Id>(starts_.size()) - 2;
  }
  Id phrase(Id q) { return new_part(templates_.phrase(), phrase_piece(q), label(q)); }
  Id pair(Id q, Id before, Id item) {
    Id& part = pair_slot(q, before, item);
    if (part < 0)
      part = new_part(templates_.pair(), pair_piece(before, item), labels_.inner(label(q)));
    return part;
  }
  Id child(Id q, Id item) {
    Id& part = child_slot(q, item);
    if (part < 0)
      part = new_part(templates_.child(), child_piece(q, item), labels_.inner(label(q)));
    return part;
  }
  PhrasePiece phrase_piece(Id q) const {
    const Candidate& c = items_->candidate(q);
    PhrasePiece piece = nowhere();
    piece[A::begin] = c.begin;
    piece[A::end] = c.end;
    piece[A::head] = head_[at(q)];
    piece.doubt = std::min(kMostDoubt, static_cast<Id>(std::min(-c.log_p, 99.f) * kDoubtBins));
    return piece;
  }
  PhrasePiece pair_piece(Id before, Id item) const {
    PhrasePiece piece = nowhere();
    for (const A anchor : {A::sibling, A::sibling_head, A::child, A::child_end, A::child_head})
      piece[anchor] = PhrasePiece::kNobody;
    piece[A::between] = before < 0 ? items_->begin(item) : items_->end(before);
    if (before >= 0) {
      piece[A::sibling] = items_->begin(before);
      piece[A::sibling_head] = head(before);
      piece.sibling = code(before) + 1;
    }
    if (item >= 0) set_child(piece, item);
    return piece;
  }
  PhrasePiece child_piece(Id q, Id item) const {
    PhrasePiece piece = nowhere();
    piece[A::head] = head_[at(q)];
    set_child(piece, item);
    return piece;
  }
  void set_child(PhrasePiece& piece, Id item) const {
    piece[A::child] = items_->begin(item);
    piece[A::child_end] = items_->end(item);
    piece[A::child_head] = head(item);
    piece.child = code(item) + 1;
  }

  static constexpr float kDoubtBins = 1.5f;  // to a unit of the logarithm
  static constexpr Id kMostDoubt = 20;

  const ForestTemplates& templates_;
  const HeadRules& heads_;
  const LabelCodes& labels_;
  const PhraseSentence* sentence_ = nullptr;
  const PhraseItems* items_ = nullptr;
  const float* w_ = nullptr;
  BestRows rows_;
  Forest forest_;
  std::vector<Id> head_, codes_;               // of phrases; of the children of one
  std::vector<Id> phrase_part_, phrase_node_;  // by phrase
  std::vector<Id> state_;                      // by item: node of the phrase at hand and this child
  std::vector<Id> kind_, headed_;  // by phrase: its number among those with the same label, or head
  std::vector<Id> neighbour_,
      rank_;  // by item: where its pairs begin; place among those that begin with it
  Id pairs_ = 0;
  std::vector<Id> pair_part_, child_part_;  // [kind][pairs], [headed][items]; -1: not made yet
  std::vector<std::size_t> starts_{0};      // of the features of parts
  std::vector<Id> features_;
};

}  // namespace linnet
