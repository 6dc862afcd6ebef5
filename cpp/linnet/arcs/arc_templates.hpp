// Templates of arcs, head → modifier. A template is a conjunction of values: attributes of the
// head, of the modifier, of their neighbours and, in a tree that is known, of their relatives; one
// value of the tokens between; direction and distance. What it sees of one token is hashed once for
// that token, to a code of 32 bits; a feature of an arc is the code of the head ^ the code of the
// modifier ^ a code of template, direction and distance, multiplied and cut to the bits of the
// table of weights. So the features of an arc are made eight at a time. Templates that name a
// sibling are of second order: their features belong to an arc and the modifier before it on its
// side.
#pragma once
#include <string>
#include <vector>

#include "linnet/sentences/attributes.hpp"

namespace linnet {

enum class ArcSide : std::uint8_t { head, modifier, between, sibling };
// Whose value: that of the token, or of a relative in the tree.
enum class ArcStep : std::uint8_t { self, first_dependent, last_dependent, head };

struct ArcAttribute {
  Attribute token;
  std::string key;  // "Case": its value in "Case=Nom|Number=Sing"; empty: the attribute as it is
};
struct ArcAtom {
  ArcSide side;
  ArcStep step;
  Id attribute;
  Id offset;
  bool operator==(const ArcAtom&) const = default;
};
struct ArcTemplate {
  std::string name;  // what tells it from others: a word for each value, direction, distance
  std::vector<ArcAtom> atoms;
  bool direction, distance;
};

// Distances 1, 2, 3, 4, 5, 6–7, 8–10, 11–15, 16–25 and more.
inline constexpr Id kDistances = 10;
LINNET_INLINE Id distance_bucket(Id distance) {
  constexpr Id kLast[] = {1, 2, 3, 4, 5, 7, 10, 15, 25};
  Id bucket = 0;
  while (bucket < kDistances - 1 && distance > kLast[bucket]) ++bucket;
  return bucket;
}

class ArcTemplates {
 public:
  static constexpr Id kMostAway = 10;
  static constexpr Id kFewestBits = 4, kMostBits = 30;

  ArcTemplates(std::vector<ArcAttribute> attributes, std::vector<ArcTemplate> templates, Id bits)
      : attributes_(std::move(attributes)), templates_(std::move(templates)), bits_(bits) {
    if (bits < kFewestBits || bits > kMostBits)
      throw std::invalid_argument("hash bits must lie between 4 and 30");
    for (std::size_t k = 0; k < templates_.size(); ++k) add(static_cast<Id>(k), templates_[k]);
    for (Block* block : {&heads_, &modifiers_, &pairs_, &siblings_}) block->finish();
    for (Between& each : between_) each.block.finish();
  }

  // Entries of one kind. codes[(2 buckets + right)][entry] are of template, direction and distance.
  struct Block {
    std::vector<Id> number;          // of the template
    std::vector<Id> head, modifier;  // which view of the tokens
    std::vector<Id> sibling;         // and of the sibling, if there is one
    std::vector<std::uint64_t> salt;
    std::vector<bool> direction, distance;
    Buffer<std::uint32_t> codes;

    Id size() const { return static_cast<Id>(salt.size()); }
    const std::uint32_t* code(Id bucket, bool right) const {
      return codes.data() + static_cast<Index>(2 * bucket + right) * size();
    }
    void finish() {
      for (Id k = 0; k < 2 * kDistances; ++k)
        for (std::size_t e = 0; e < salt.size(); ++e) {
          const std::uint64_t seen =
              1 + (direction[e] ? k % 2 + 1 : 0) * (kDistances + 1) + (distance[e] ? k / 2 + 1 : 0);
          codes.push_back(static_cast<std::uint32_t>(combine(salt[e], seen)));
        }
    }
  };
  struct Between {
    Id attribute;
    Block block;
  };
  using View = std::vector<ArcAtom>;  // what templates see of one token

  std::span<const ArcAttribute> attributes() const { return attributes_; }
  std::span<const ArcTemplate> templates() const { return templates_; }
  std::span<const View> head_views() const { return head_views_; }
  std::span<const View> modifier_views() const { return modifier_views_; }
  // Features of the head alone, and of the modifier alone, but for the direction.
  const Block& heads() const { return heads_; }
  const Block& modifiers() const { return modifiers_; }
  const Block& pairs() const { return pairs_; }
  // Of the sibling too. Distances are those between modifier and sibling.
  const Block& siblings() const { return siblings_; }
  std::span<const View> sibling_views() const { return sibling_views_; }
  std::span<const Between> between() const { return between_; }
  Id margin() const { return margin_; }
  bool needs_tree() const { return needs_tree_; }
  Id bits() const { return bits_; }
  Index features() const { return Index{1} << bits_; }

  LINNET_INLINE static Id place(std::uint32_t code, int shift) {
    return static_cast<Id>((code * kFactor) >> shift);
  }
  int shift() const { return 32 - bits_; }
  static constexpr std::uint32_t kFactor = 0x9e3779b1;  // 2^32 / the golden ratio, a prime

 private:
  void add(Id number, const ArcTemplate& each) {
    View head, modifier, sibling;
    Id between = -1;
    for (const ArcAtom& atom : each.atoms) {
      check(atom);
      if (atom.side == ArcSide::between) {
        if (between >= 0) throw std::invalid_argument("a template has one value of tokens between");
        between = atom.attribute;
        continue;
      }
      (atom.side == ArcSide::head       ? head
       : atom.side == ArcSide::modifier ? modifier
                                        : sibling)
          .push_back(atom);
      margin_ = std::max(margin_, std::abs(atom.offset));
      needs_tree_ |= atom.step != ArcStep::self;
    }
    const bool of_arc = each.direction || each.distance;
    if (each.atoms.empty() && !of_arc) throw std::invalid_argument("a template is empty");
    Block* block = &pairs_;
    if (!sibling.empty() && between >= 0)
      throw std::invalid_argument("a template sees a sibling or what is between, not both");
    if (!sibling.empty())
      block = &siblings_;
    else if (between >= 0)
      block = &block_between(between);
    else if (!each.distance && !head.empty() && modifier.empty())
      block = &heads_;
    else if (!each.distance && head.empty() && !modifier.empty())
      block = &modifiers_;
    block->number.push_back(number);
    block->head.push_back(view_number(head_views_, head));
    block->modifier.push_back(view_number(modifier_views_, modifier));
    if (!sibling.empty()) block->sibling.push_back(view_number(sibling_views_, sibling));
    block->salt.push_back(hash_bytes(each.name));
    block->direction.push_back(each.direction);
    block->distance.push_back(each.distance);
  }
  void check(const ArcAtom& atom) const {
    if (atom.attribute < 0 || atom.attribute >= std::ssize(attributes_))
      throw std::invalid_argument("a template names an attribute that is not there");
    if (std::abs(atom.offset) > kMostAway)
      throw std::invalid_argument("templates of arcs look at most 10 tokens away");
  }
  Block& block_between(Id attribute) {
    for (Between& each : between_)
      if (each.attribute == attribute) return each.block;
    return between_.emplace_back(Between{attribute, {}}).block;
  }
  static Id view_number(std::vector<View>& views, const View& view) {
    const auto number =
        static_cast<Id>(std::find(views.begin(), views.end(), view) - views.begin());
    if (number == std::ssize(views)) views.push_back(view);
    return number;
  }

  std::vector<ArcAttribute> attributes_;
  std::vector<ArcTemplate> templates_;
  std::vector<View> head_views_, modifier_views_, sibling_views_;
  Block heads_, modifiers_, pairs_, siblings_;
  std::vector<Between> between_;
  Id margin_ = 0, bits_;
  bool needs_tree_ = false;
};

}  // namespace linnet
