// Rows of the features that see both ends of a span, for all spans of a sentence: what the begin
// and the end bring to the hash of each template is found once for each place.
#pragma once
#include "linnet/phrases/span_templates.hpp"

namespace linnet {

class PairRows {
 public:
  // The caller keeps templates alive.
  explicit PairRows(const SpanTemplates& templates) : templates_(templates) {
    const PhraseTemplates& pairs = templates.pairs();
    for (std::size_t v = 0; v < pairs.values().size(); ++v) {
      const PhraseAtom& value = pairs.values()[v];
      (!value.of_token()                     ? of_both_
       : value.anchor == PhraseAnchor::begin ? of_begin_
                                             : of_end_)
          .push_back(v);
    }
    for (const auto& each : pairs.all()) {
      for (const auto v : each.seen)
        if (!pairs.values()[v].of_token()) seen_.push_back(v);
      starts_.push_back(seen_.size());
    }
  }
  void enter(const PhraseSentence& sentence) {
    sentence_ = &sentence;
    const PhraseTemplates& pairs = templates_.pairs();
    const Id n = sentence.words();
    begins_.resize(static_cast<std::size_t>(n) * pairs.size());
    ends_.resize(begins_.size());
    for (Id t = 0; t < n; ++t) {
      const auto at = static_cast<std::size_t>(t) * pairs.size();
      gather(of_begin_, templates_.piece(t, -1), true, begins_.data() + at);
      gather(of_end_, templates_.piece(-1, t + 1), false, ends_.data() + at);
    }
  }
  // tell(row) for the features of [i, j).
  template <class Tell>
  LINNET_INLINE void each(Id i, Id j, Tell&& tell) {
    const PhraseTemplates& pairs = templates_.pairs();
    const PhrasePiece piece = templates_.piece(i, j);
    for (const std::size_t v : of_both_) pairs.find(v, *sentence_, piece, found_);
    const std::uint64_t* begin = begins_.data() + static_cast<std::size_t>(i) * pairs.size();
    const std::uint64_t* end = ends_.data() + static_cast<std::size_t>(j - 1) * pairs.size();
    const auto all = pairs.all();
    for (std::size_t t = 0; t < all.size(); ++t) {
      if (!PhraseTemplates::says(all[t], found_)) continue;
      std::uint64_t hash = begin[t] ^ end[t];
      for (std::size_t k = starts_[t]; k < starts_[t + 1]; ++k) hash ^= found_.hash[seen_[k]];
      tell(templates_.row(combine(hash, 0)));
    }
  }

 private:
  // By template: the values of one end, xor its salt.
  void gather(const std::vector<std::size_t>& values, const PhrasePiece& piece, bool salted,
              std::uint64_t* out) {
    const PhraseTemplates& pairs = templates_.pairs();
    for (const std::size_t v : values) pairs.find(v, *sentence_, piece, found_);
    const auto all = pairs.all();
    for (std::size_t t = 0; t < all.size(); ++t) {
      out[t] = salted ? all[t].salt : 0;
      for (const auto v : all[t].seen) {
        const PhraseAtom& value = pairs.values()[v];
        if (value.of_token() && (value.anchor == PhraseAnchor::begin) == salted)
          out[t] ^= found_.hash[v];
      }
    }
  }

  const SpanTemplates& templates_;
  const PhraseSentence* sentence_ = nullptr;
  std::vector<std::size_t> of_begin_, of_end_, of_both_;  // values
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint16_t> seen_;           // by template: its values of both ends
  std::vector<std::uint64_t> begins_, ends_;  // [place][template]
  PhraseTemplates::Values found_{};
};

}  // namespace linnet
