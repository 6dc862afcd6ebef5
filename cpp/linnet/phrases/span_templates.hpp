// Templates of spans, by what they look at: those that see the begin alone, or the end alone, are
// computed once for each place between words, all others for each span. A feature is a row of a
// table of weights, in which the labels stand side by side.
#pragma once
#include "linnet/phrases/phrase_templates.hpp"

namespace linnet {

class SpanTemplates {
 public:
  // features: how many rows there are, which hashes share.
  SpanTemplates(std::vector<PhraseTemplate> templates, Id sets, Index features)
      : features_(features) {
    if (features < 1 || features >= std::numeric_limits<Id>::max() - 8)
      throw std::invalid_argument("the number of features is out of range");
    std::vector<PhraseTemplate> parts[3];
    for (PhraseTemplate& each : templates) {
      const int part = seen_by(each);
      order_[part].push_back(
          static_cast<Id>(order_[0].size() + order_[1].size() + order_[2].size()));
      parts[part].push_back(std::move(each));
    }
    constexpr PhraseAnchor kEnds[] = {PhraseAnchor::begin, PhraseAnchor::end};
    for (int part = 0; part < 3; ++part)
      parts_[part] = PhraseTemplates(parts[part], sets, kEnds, false);
  }
  Index features() const { return features_; }

  // tell(row) for each feature of the place before word i, as a begin; after word j - 1, as an end.
  template <class Tell>
  void of_begin(const PhraseSentence& s, Id i, Tell&& tell) const {
    of(0, s, i, -1, tell);
  }
  template <class Tell>
  void of_end(const PhraseSentence& s, Id j, Tell&& tell) const {
    of(1, s, -1, j, tell);
  }
  // Of both; PairRows finds the same faster where all spans of a sentence are looked at.
  const PhraseTemplates& pairs() const { return parts_[2]; }
  template <class Tell>
  void of_pair(const PhraseSentence& s, Id i, Id j, Tell&& tell) const {
    of(2, s, i, j, tell);
  }
  template <class Tell>
  void of_span(const PhraseSentence& s, Id i, Id j, Tell&& tell) const {
    of_begin(s, i, tell);
    of_end(s, j, tell);
    of_pair(s, i, j, tell);
  }
  // tell(row, number of the template) for each feature of a span.
  template <class Tell>
  void origins(const PhraseSentence& s, Id i, Id j, Tell&& tell) const {
    for (int part = 0; part < 3; ++part)
      parts_[part].features(
          s, piece(part == 1 ? -1 : i, part == 0 ? -1 : j), 0,
          [&](std::uint64_t hash, std::size_t number) { tell(row(hash), order_[part][number]); });
  }

  LINNET_INLINE Id row(std::uint64_t hash) const {
    return static_cast<Id>(scaled(hash, static_cast<std::uint64_t>(features_)));
  }
  static PhrasePiece piece(Id i, Id j) {
    PhrasePiece found = nowhere();
    found[PhraseAnchor::begin] = i;
    found[PhraseAnchor::end] = j;
    return found;
  }

 private:
  static int seen_by(const PhraseTemplate& each) {
    bool begin = false, end = false;
    for (const PhraseAtom& atom : each.atoms) {
      begin |= !atom.of_token() || atom.anchor == PhraseAnchor::begin;
      end |= !atom.of_token() || atom.anchor == PhraseAnchor::end;
    }
    return begin == end ? 2 : begin ? 0 : 1;
  }
  template <class Tell>
  void of(int part, const PhraseSentence& s, Id i, Id j, Tell&& tell) const {
    parts_[part].features(s, piece(i, j), 0,
                          [&](std::uint64_t hash, std::size_t) { tell(row(hash)); });
  }

  PhraseTemplates parts_[3];  // of the begin, of the end, of both
  std::vector<Id> order_[3];  // their numbers as they were given
  Index features_;
};

}  // namespace linnet
