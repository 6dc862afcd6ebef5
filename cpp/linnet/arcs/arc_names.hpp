// What features of an arc are called: the values of their templates, read off the sentence.
#pragma once
#include "linnet/arcs/arc_sentence.hpp"

namespace linnet {

class ArcNames {
 public:
  // `tree`: the heads of this sentence, if templates look at them.
  ArcNames(const ArcTokens& tokens, Index sentence, std::span<const Id> tree)
      : tokens_(tokens),
        begin_(tokens.sentences().offsets()[sentence]),
        words_(static_cast<Id>(tokens.sentences().offsets()[sentence + 1] - begin_)),
        tree_(tree) {}

  // `third`: the word between or, for templates of second order, the sibling, 0 for none.
  std::string name(Id number, Id head, Id modifier, Id third) const {
    const ArcTemplate& each = tokens_.templates().templates()[static_cast<std::size_t>(number)];
    std::string_view words = each.name;
    std::string name;
    const auto append = [&](const std::string& value) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(words.size(), word.size() + 1));
      (((name += name.empty() ? "" : " ") += word) += '=') += value;
    };
    Id distance = std::abs(head - modifier);
    for (const ArcAtom& atom : each.atoms) {
      const bool sibling = atom.side == ArcSide::sibling;
      // As in ArcSentence: from the sibling, and as of neighbours if there is none.
      if (sibling) distance = third == 0 ? 1 : std::abs(third - modifier);
      append(sibling && third == 0 ? "_"
                                   : value(atom, atom.side == ArcSide::head       ? head
                                                 : atom.side == ArcSide::modifier ? modifier
                                                                                  : third));
    }
    if (each.direction) append(head < modifier ? "right" : "left");
    if (each.distance) append(distance_name(distance));
    return name;
  }

 private:
  std::string value(const ArcAtom& atom, Id position) const {
    const Id at = relative(atom.step, position);
    if (at < 0) return "_";
    const Id place = at + atom.offset;
    if (place == 0) return "_ROOT";
    if (place < 0 || place > words_) return boundary_mark(place < 0 ? place : place - words_);
    return tokens_.text(static_cast<std::size_t>(atom.attribute), begin_ + place - 1);
  }
  Id relative(ArcStep step, Id position) const {
    if (step == ArcStep::self) return position;
    if (step == ArcStep::head)
      return position == 0 ? -1 : tree_[static_cast<std::size_t>(position - 1)];
    Id found = -1;
    for (Id m = 1; m <= words_; ++m)
      if (tree_[static_cast<std::size_t>(m - 1)] == position &&
          (found < 0 || step == ArcStep::last_dependent))
        found = m;
    return found;
  }
  static std::string distance_name(Id distance) {
    const Id bucket = distance_bucket(distance);
    Id first = distance, last = distance;
    while (first > 1 && distance_bucket(first - 1) == bucket) --first;
    if (bucket == kDistances - 1) return std::to_string(first) + "+";
    while (distance_bucket(last + 1) == bucket) ++last;
    return std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
  }

  const ArcTokens& tokens_;
  Index begin_;
  Id words_;
  std::span<const Id> tree_;
};

}  // namespace linnet
