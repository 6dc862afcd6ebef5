// Templates of phrases. A template is a conjunction of values: what is seen of tokens at the places
// of a piece of a tree, labels of its children, binned lengths, how many tokens of some kind are in
// it. A feature is the hash of its template, of the label that it belongs to, and of these values.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "linnet/phrases/phrase_tokens.hpp"
#include "linnet/text/hash.hpp"

namespace linnet {

// Places of a piece: the phrase [begin, end), its head, a child [child, child_end) with its head,
// the child before, and the place between the two. A child that is not there, at either end of a
// phrase, has places, too: nobody's.
enum class PhraseAnchor : std::uint8_t {
  begin,
  end,
  head,
  child,
  child_end,
  child_head,
  sibling,
  sibling_head,
  between
};
inline constexpr int kPhraseAnchors = 9;

enum class PhraseValue : std::uint8_t {
  tag,
  word,
  word_class,  // of the token at an anchor, some places away
  child,       // labels
  sibling,
  side,    // of the child: with the head, before it, after it
  length,  // of the phrase, binned
  child_length,
  sibling_length,
  before,    // from its begin to its head
  after,     // from its head to its end
  distance,  // from the head to the child
  doubt,     // of the phrase, that is how improbable it was
  tags,      // all of them, of at most kFewTags words
  single,    // says nothing, but of phrases of one word alone
  several,   // of more
  count      // of the tokens of one set of tags
};

struct PhraseAtom {
  PhraseValue value;
  PhraseAnchor anchor{};
  Id offset = 0;  // of a token; of a count, which set
  Id most = 0;    // of a count
  bool of_token() const { return value <= PhraseValue::word_class; }
  bool operator==(const PhraseAtom&) const = default;
  std::uint64_t salt() const {
    return static_cast<std::uint64_t>(value) << 56 ^ static_cast<std::uint64_t>(anchor) << 48 ^
           static_cast<std::uint64_t>(static_cast<std::uint16_t>(offset)) << 32 ^
           static_cast<std::uint64_t>(most);
  }
};

struct PhraseTemplate {
  std::vector<PhraseAtom> atoms;
  std::uint64_t salt;
};

// One piece of a tree: where its places are, -1 those that it has not, and its labels.
struct PhrasePiece {
  static constexpr Id kNobody = -2;
  std::array<Id, kPhraseAnchors> at;
  Id child = 0, sibling = 0, doubt = 0;
  Id& operator[](PhraseAnchor a) { return at[static_cast<std::size_t>(a)]; }
  Id operator[](PhraseAnchor a) const { return at[static_cast<std::size_t>(a)]; }
};
inline PhrasePiece nowhere() {
  PhrasePiece piece;
  piece.at.fill(-1);
  return piece;
}

// 1, 2, 3, 4, 5, 6–7, 8–10, 11–15, 16–20, 21–30 and more.
LINNET_INLINE Id length_bin(Id length) {
  if (length <= 5) return length;
  return length <= 7    ? 6
         : length <= 10 ? 7
         : length <= 15 ? 8
         : length <= 20 ? 9
         : length <= 30 ? 10
                        : 11;
}

// What templates look at is found and hashed once for each piece, however many of them look at it:
// the hash of a template is of its salt xor those of its values, and of the label.
class PhraseTemplates {
 public:
  static constexpr Id kFewTags = 6;
  static constexpr std::size_t kMostValues = 512;
  struct Values {
    std::array<std::uint64_t, kMostValues> hash;
    std::array<std::uint8_t, kMostValues> silent;  // 1: there is no such value
  };
  struct Template {
    std::uint64_t salt;
    std::vector<std::uint16_t> seen;    // places in values()
    std::vector<std::uint16_t> guards;  // those of them that may be silent
  };

  PhraseTemplates() = default;
  // `anchors`: those that pieces of this kind have, besides the head before there is one.
  PhraseTemplates(const std::vector<PhraseTemplate>& templates, Id sets,
                  std::span<const PhraseAnchor> anchors, bool labels) {
    for (const PhraseTemplate& each : templates) {
      Template& made = templates_.emplace_back(Template{each.salt, {}, {}});
      for (const PhraseAtom& atom : each.atoms) {
        check(atom, sets, anchors, labels);
        auto known = std::find(values_.begin(), values_.end(), atom);
        if (known == values_.end()) known = values_.insert(known, atom);
        const auto place = static_cast<std::uint16_t>(known - values_.begin());
        if (std::find(made.seen.begin(), made.seen.end(), place) != made.seen.end()) continue;
        made.seen.push_back(place);
        if (may_be_silent(atom)) made.guards.push_back(place);
      }
    }
    if (values_.size() > kMostValues)
      throw std::invalid_argument("templates look at more than " + std::to_string(kMostValues) +
                                  " different values");
  }
  std::size_t size() const { return templates_.size(); }
  std::span<const Template> all() const { return templates_; }
  std::span<const PhraseAtom> values() const { return values_; }

  // tell(hash, number) for each template that says something of this piece.
  template <class Tell>
  LINNET_INLINE void features(const PhraseSentence& sentence, const PhrasePiece& piece,
                              std::uint64_t label, Tell&& tell) const {
    Values found;
    for (std::size_t v = 0; v < values_.size(); ++v) find(v, sentence, piece, found);
    for (std::size_t number = 0; number < templates_.size(); ++number) {
      const Template& each = templates_[number];
      std::uint64_t hash = each.salt;
      for (const auto v : each.seen) hash ^= found.hash[v];
      if (says(each, found)) tell(combine(hash, label), number);
    }
  }
  LINNET_INLINE void find(std::size_t v, const PhraseSentence& sentence, const PhrasePiece& piece,
                          Values& found) const {
    const PhraseAtom& atom = values_[v];
    const std::int64_t value = value_of(atom, sentence, piece);
    found.silent[v] = value < 0;
    found.hash[v] = combine(static_cast<std::uint64_t>(value), atom.salt());
  }
  LINNET_INLINE static bool says(const Template& each, const Values& found) {
    for (const auto v : each.guards)
      if (found.silent[v]) return false;
    return true;
  }

 private:
  static void check(const PhraseAtom& atom, Id sets, std::span<const PhraseAnchor> anchors,
                    bool labels) {
    const auto has = [&](PhraseAnchor a) {
      return std::find(anchors.begin(), anchors.end(), a) != anchors.end();
    };
    using V = PhraseValue;
    bool known = true;
    if (atom.of_token()) {
      known = has(atom.anchor) && std::abs(atom.offset) <= PhraseSentence::kMargin - 1;
    } else if (atom.value == V::child || atom.value == V::child_length) {
      known = labels && has(PhraseAnchor::child);
    } else if (atom.value == V::side || atom.value == V::distance) {
      known = labels && has(PhraseAnchor::child) && has(PhraseAnchor::head);
    } else if (atom.value == V::sibling || atom.value == V::sibling_length) {
      known = labels && has(PhraseAnchor::sibling);
    } else if (atom.value == V::doubt) {
      known = labels && has(PhraseAnchor::begin);
    } else if (atom.value == V::before || atom.value == V::after) {
      known = has(PhraseAnchor::begin) && has(PhraseAnchor::head);
    } else {
      known = has(PhraseAnchor::begin);
    }
    if (atom.value == V::count)
      known = known && atom.offset >= 0 && atom.offset < sets && atom.most > 0;
    if (!known) throw std::invalid_argument("a template names what these pieces have not");
  }
  static bool may_be_silent(const PhraseAtom& atom) {
    using V = PhraseValue;
    if (atom.of_token()) return atom.anchor == PhraseAnchor::head;
    return atom.value == V::before || atom.value == V::after || atom.value == V::tags ||
           atom.value == V::single || atom.value == V::several;
  }
  static Id side(const PhrasePiece& piece) {
    const Id head = piece[PhraseAnchor::head], of_child = piece[PhraseAnchor::child_head];
    return of_child == head ? 0 : of_child < head ? 1 : 2;
  }
  // 0 with the head; 1, 2, 3–4, 5–8 and more words from it.
  static Id distance_bin(const PhrasePiece& piece) {
    const Id head = piece[PhraseAnchor::head];
    const Id beside = side(piece);
    if (beside == 0) return 0;
    const Id words =
        beside == 1 ? head - piece[PhraseAnchor::child_end] + 1 : piece[PhraseAnchor::child] - head;
    return words <= 2 ? words : words <= 4 ? 3 : words <= 8 ? 4 : 5;
  }
  static Id length_between(Id from, Id to) { return from < 0 ? 0 : length_bin(to - from); }
  // -1: there is no such value.
  static std::int64_t value_of(const PhraseAtom& atom, const PhraseSentence& sentence,
                               const PhrasePiece& piece) {
    using A = PhraseAnchor;
    using V = PhraseValue;
    if (atom.of_token()) {
      const Id at = piece[atom.anchor];
      if (at < 0) return at == PhrasePiece::kNobody ? 0 : -1;
      return sentence.code(static_cast<int>(atom.value), at + atom.offset);
    }
    const Id begin = piece[A::begin], end = piece[A::end], head = piece[A::head];
    switch (atom.value) {
      case V::child:
        return piece.child;
      case V::sibling:
        return piece.sibling;
      case V::side:
        return side(piece);
      case V::doubt:
        return piece.doubt;
      case V::child_length:
        return length_between(piece[A::child], piece[A::child_end]);
      case V::sibling_length:
        return length_between(piece[A::sibling], piece[A::between]);
      case V::length:
        return length_bin(end - begin);
      case V::before:
        return head < 0 ? -1 : length_bin(head - begin + 1);
      case V::after:
        return head < 0 ? -1 : length_bin(end - head);
      case V::distance:
        return distance_bin(piece);
      case V::tags:
        return end - begin <= kFewTags ? sentence.tags_between(begin, end) : -1;
      case V::single:
        return end - begin == 1 ? 0 : -1;
      case V::several:
        return end - begin > 1 ? 0 : -1;
      default:
        return std::min(atom.most, sentence.count(atom.offset, begin, end));
    }
  }

  std::vector<Template> templates_;
  std::vector<PhraseAtom> values_;  // all different
};

}  // namespace linnet
