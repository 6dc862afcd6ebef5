// A sentence as templates of arcs see it. Position 0 is the root, position t the t-th token.
#pragma once
#include "linnet/arcs/arc_tokens.hpp"
#include "linnet/base/gather.hpp"
#include "linnet/base/interrupt.hpp"

namespace linnet {

namespace detail {

inline float sum_of_codes_plain(const float* w, const std::uint32_t* a, const std::uint32_t* b,
                                const std::uint32_t* c, Id size, int shift) {
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (Id k = 0; k < size; k += 8)
    for (Id j = 0; j < 8; ++j)
      sum[j] += w[ArcTemplates::place(a[k + j] ^ b[k + j] ^ c[k + j], shift)];
  return sum_of_eight(sum);
}
#ifdef LINNET_HAS_GATHER
__attribute__((target("avx2"))) inline float sum_of_codes_avx2(const float* w,
                                                               const std::uint32_t* a,
                                                               const std::uint32_t* b,
                                                               const std::uint32_t* c, Id size,
                                                               int shift) {
  const __m256i factor = _mm256_set1_epi32(static_cast<int>(ArcTemplates::kFactor));
  const __m128i by = _mm_cvtsi32_si128(shift);
  __m256 sum = _mm256_setzero_ps();
  for (Id k = 0; k < size; k += 8) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + k));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + k));
    const __m256i z = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(c + k));
    const __m256i code = _mm256_xor_si256(_mm256_xor_si256(x, y), z);
    const __m256i at = _mm256_srl_epi32(_mm256_mullo_epi32(code, factor), by);
    sum = _mm256_add_ps(sum, _mm256_i32gather_ps(w, at, 4));
  }
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, sum);
  return sum_of_eight(lanes);
}
#endif

// Σ w[place(a ^ b ^ c)].
inline float sum_of_codes(const float* w, const std::uint32_t* a, const std::uint32_t* b,
                          const std::uint32_t* c, Id size, int shift) {
  const Id whole = size / 8 * 8;
#ifdef LINNET_HAS_GATHER
  float sum = kGathers ? sum_of_codes_avx2(w, a, b, c, whole, shift)
                       : sum_of_codes_plain(w, a, b, c, whole, shift);
#else
  float sum = sum_of_codes_plain(w, a, b, c, whole, shift);
#endif
  for (Id k = whole; k < size; ++k) sum += w[ArcTemplates::place(a[k] ^ b[k] ^ c[k], shift)];
  return sum;
}

}  // namespace detail

// Codes of one sentence at a time, and what is read off them: features and scores of its arcs.
class ArcSentence {
 public:
  // `heads` of the tokens, if templates look at a tree.
  void enter(const ArcTokens& tokens, Index sentence, std::span<const Id> heads = {}) {
    templates_ = &tokens.templates();
    const Index begin = tokens.sentences().offsets()[sentence];
    words_ = static_cast<Id>(tokens.sentences().offsets()[sentence + 1] - begin);
    read_values(tokens, begin);
    if (templates_->needs_tree()) read_tree(heads);
    encode(templates_->head_views(), kHeadSeed, head_views_);
    encode(templates_->modifier_views(), kModifierSeed, modifier_views_);
    spread(head_views_, templates_->head_views().size(), templates_->heads().head, heads_alone_);
    spread(modifier_views_, templates_->modifier_views().size(), templates_->modifiers().modifier,
           modifiers_alone_);
    enter_block(templates_->pairs(), pairs_);
    enter_siblings();
    steps_(static_cast<Index>(words_) * 64);
    between_.resize(templates_->between().size());
    for (std::size_t g = 0; g < between_.size(); ++g) enter_between(g);
  }

  Id words() const { return words_; }

  // All features of an arc: visit(feature, number of its template, position between or 0). Some may
  // be equal.
  template <class Visit>
  void each_origin(Id head, Id modifier, Visit&& visit) const {
    each_of_head(head, head < modifier, visit);
    each_of_modifier(modifier, head < modifier, visit);
    each_of_both(head, modifier, visit);
  }
  // Those of its head alone, of its modifier alone, and of both. Right: the head stands before.
  template <class Visit>
  void each_of_head(Id head, bool right, Visit&& visit) const {
    each_alone(templates_->heads(), heads_alone_, head, right, visit);
  }
  template <class Visit>
  void each_of_modifier(Id modifier, bool right, Visit&& visit) const {
    each_alone(templates_->modifiers(), modifiers_alone_, modifier, right, visit);
  }
  template <class Visit>
  void each_of_both(Id head, Id modifier, Visit&& visit) const {
    const ArcTemplates& t = *templates_;
    const Id bucket = distance_bucket(std::abs(head - modifier));
    const bool right = head < modifier;
    const auto both = [&](const ArcTemplates::Block& block, const Sides& sides, std::uint32_t with,
                          Id position) {
      const std::uint32_t *a = row(sides.head, block, head),
                          *b = row(sides.modifier, block, modifier), *c = block.code(bucket, right);
      for (Id e = 0; e < block.size(); ++e)
        visit(ArcTemplates::place(a[e] ^ b[e] ^ c[e] ^ with, t.shift()),
              block.number[static_cast<std::size_t>(e)], position);
    };
    both(t.pairs(), pairs_, 0, 0);
    for (std::size_t g = 0; g < between_.size(); ++g)
      each_between(between_[g], head, modifier, [&](std::uint32_t code, Id position) {
        both(t.between()[g].block, between_[g].sides, code, position);
      });
  }
  template <class Visit>
  void each_feature(Id head, Id modifier, Visit&& visit) const {
    each_origin(head, modifier, [&](Id feature, Id, Id) { visit(feature); });
  }

  // The same for templates of second order: sibling 0 is none.
  template <class Visit>
  void each_sibling_origin(Id head, Id modifier, Id sibling, Visit&& visit) const {
    const ArcTemplates::Block& block = templates_->siblings();
    const std::uint32_t *a = row(with_siblings_.head, block, head),
                        *b = row(with_siblings_.modifier, block, modifier),
                        *s = row(siblings_, block, sibling),
                        *c = sibling_code(head, modifier, sibling);
    for (Id e = 0; e < block.size(); ++e)
      visit(ArcTemplates::place(a[e] ^ b[e] ^ s[e] ^ c[e], templates_->shift()),
            block.number[static_cast<std::size_t>(e)], 0);
  }
  template <class Visit>
  void each_sibling_feature(Id head, Id modifier, Id sibling, Visit&& visit) const {
    each_sibling_origin(head, modifier, sibling, [&](Id feature, Id, Id) { visit(feature); });
  }

  // What heads and modifiers score by themselves: once for each token and direction, before
  // `score`.
  void score_alone(const float* w) {
    for (const bool right : {false, true}) {
      head_scores_[right].assign(static_cast<std::size_t>(words_) + 1, 0);
      modifier_scores_[right].assign(static_cast<std::size_t>(words_) + 1, 0);
      for (Id p = 0; p <= words_; ++p) {
        float &head = head_scores_[right][static_cast<std::size_t>(p)],
              &modifier = modifier_scores_[right][static_cast<std::size_t>(p)];
        each_of_head(p, right, [&](Id f, Id, Id) { head += w[f]; });
        each_of_modifier(p, right, [&](Id f, Id, Id) { modifier += w[f]; });
      }
    }
  }
  float score(Id head, Id modifier, const float* w) const {
    const ArcTemplates& t = *templates_;
    const int shift = t.shift();
    const Id bucket = distance_bucket(std::abs(head - modifier));
    const bool right = head < modifier;
    float sum = head_scores_[right][static_cast<std::size_t>(head)] +
                modifier_scores_[right][static_cast<std::size_t>(modifier)];
    sum += detail::sum_of_codes(w, row(pairs_.head, t.pairs(), head),
                                row(pairs_.modifier, t.pairs(), modifier),
                                t.pairs().code(bucket, right), t.pairs().size(), shift);
    for (std::size_t g = 0; g < between_.size(); ++g) {
      const ArcTemplates::Block& block = t.between()[g].block;
      const std::uint32_t *a = row(between_[g].sides.head, block, head),
                          *b = row(between_[g].sides.modifier, block, modifier),
                          *c = block.code(bucket, right);
      each_between(between_[g], head, modifier, [&](std::uint32_t code, Id) {
        for (Id e = 0; e < block.size(); ++e)
          sum += w[ArcTemplates::place(a[e] ^ b[e] ^ c[e] ^ code, shift)];
      });
    }
    return sum;
  }

  // Scores with siblings: first the codes of the arc, then those of each sibling.
  void enter_arc(Id head, Id modifier) {
    const ArcTemplates::Block& block = templates_->siblings();
    arc_.resize(static_cast<std::size_t>(block.size()));
    const std::uint32_t *a = row(with_siblings_.head, block, head),
                        *b = row(with_siblings_.modifier, block, modifier);
    for (std::size_t e = 0; e < arc_.size(); ++e) arc_[e] = a[e] ^ b[e];
  }
  float sibling_score(Id head, Id modifier, Id sibling, const float* w) const {
    const ArcTemplates::Block& block = templates_->siblings();
    return detail::sum_of_codes(w, arc_.data(), row(siblings_, block, sibling),
                                sibling_code(head, modifier, sibling), block.size(),
                                templates_->shift());
  }

 private:
  using Codes = Buffer<std::uint32_t>;
  struct Sides {
    Codes head, modifier;  // [position][entry]
  };
  struct Between {
    Sides sides;
    Codes codes;             // of the value at a position
    std::vector<Id> before;  // where the same value stood before
  };
  static constexpr std::uint64_t kHeadSeed = kHashSalts[6], kModifierSeed = kHashSalts[7];
  static constexpr std::uint64_t kSiblingSeed = kHashSalts[5];

  static const std::uint32_t* row(const Codes& codes, const ArcTemplates::Block& block,
                                  Id position) {
    return codes.data() + static_cast<Index>(position) * block.size();
  }
  template <class Visit>
  void each_alone(const ArcTemplates::Block& block, const Codes& codes, Id position, bool right,
                  Visit&& visit) const {
    const std::uint32_t *a = row(codes, block, position), *c = block.code(0, right);
    for (Id e = 0; e < block.size(); ++e)
      visit(ArcTemplates::place(a[e] ^ c[e], templates_->shift()),
            block.number[static_cast<std::size_t>(e)], 0);
  }
  std::size_t width() const { return templates_->attributes().size(); }
  // Of positions −margin … words + margin; then a row for relatives that are not there.
  const std::uint64_t* values(Id position) const {
    return values_.data() + static_cast<std::size_t>(position + templates_->margin()) * width();
  }
  const std::uint64_t* nobody() const { return values(words_ + templates_->margin() + 1); }

  void read_values(const ArcTokens& tokens, Index begin) {
    const Id margin = templates_->margin();
    values_.assign(static_cast<std::size_t>(words_ + 2 * margin + 2) * width(), ArcTokens::kNone);
    std::uint64_t* to = values_.data();
    for (Id p = -margin; p <= words_ + margin; ++p)
      for (std::size_t a = 0; a < width(); ++a)
        if (p >= 1 && p <= words_)
          *to++ = tokens.value(a, begin + p - 1);
        else
          *to++ = p == 0  ? kRoot
                  : p < 0 ? kOutside + static_cast<std::uint64_t>(-p)
                          : kOutside - static_cast<std::uint64_t>(p - words_);
  }
  static inline const std::uint64_t kRoot = hash_value("_ROOT"), kOutside = hash_value("_B");

  void read_tree(std::span<const Id> heads) {
    if (std::ssize(heads) != words_) throw std::invalid_argument("templates look at a tree");
    const auto size = static_cast<std::size_t>(words_) + 1;
    tree_[0].assign(size, -1);
    tree_[1].assign(size, -1);
    tree_[2].assign(size, -1);
    for (Id m = 1; m <= words_; ++m) {
      const Id h = heads[static_cast<std::size_t>(m - 1)];
      if (h < 0 || h > words_) continue;
      tree_[2][static_cast<std::size_t>(m)] = h;
      if (tree_[0][static_cast<std::size_t>(h)] < 0) tree_[0][static_cast<std::size_t>(h)] = m;
      tree_[1][static_cast<std::size_t>(h)] = m;
    }
  }
  const std::uint64_t* values(Id position, const ArcAtom& atom) const {
    if (atom.step == ArcStep::self) return values(position + atom.offset);
    const Id to =
        tree_[static_cast<std::size_t>(atom.step) - 1][static_cast<std::size_t>(position)];
    return to < 0 ? nobody() : values(to + atom.offset);
  }

  void encode(std::span<const ArcTemplates::View> views, std::uint64_t seed, Codes& codes) const {
    codes.resize(static_cast<std::size_t>(words_ + 1) * views.size());
    std::uint32_t* to = codes.data();
    for (Id p = 0; p <= words_; ++p)
      for (const ArcTemplates::View& view : views) {
        std::uint64_t h = seed;
        for (const ArcAtom& atom : view) h = combine(h, values(p, atom)[atom.attribute]);
        *to++ = view.empty() ? 0 : static_cast<std::uint32_t>(h >> 32);
      }
  }
  // The codes of views, once for each entry that has that view.
  void spread(const Codes& views, std::size_t stride, const std::vector<Id>& which,
              Codes& codes) const {
    codes.resize(static_cast<std::size_t>(words_ + 1) * which.size());
    std::uint32_t* to = codes.data();
    const std::uint32_t* from = views.data();
    for (Id p = 0; p <= words_; ++p, from += stride)
      for (const Id view : which) *to++ = from[view];
  }
  void enter_block(const ArcTemplates::Block& block, Sides& sides) const {
    spread(head_views_, templates_->head_views().size(), block.head, sides.head);
    spread(modifier_views_, templates_->modifier_views().size(), block.modifier, sides.modifier);
  }
  void enter_siblings() {
    const ArcTemplates::Block& block = templates_->siblings();
    if (block.size() == 0) return;
    enter_block(block, with_siblings_);
    encode(templates_->sibling_views(), kSiblingSeed, sibling_views_);
    std::uint32_t* none = sibling_views_.data();
    for (const ArcTemplates::View& view : templates_->sibling_views()) {
      std::uint64_t h = kSiblingSeed;
      for (std::size_t k = 0; k < view.size(); ++k) h = combine(h, ArcTokens::kNone);
      *none++ = static_cast<std::uint32_t>(h >> 32);
    }
    spread(sibling_views_, templates_->sibling_views().size(), block.sibling, siblings_);
  }
  const std::uint32_t* sibling_code(Id head, Id modifier, Id sibling) const {
    return templates_->siblings().code(
        sibling == 0 ? 0 : distance_bucket(std::abs(modifier - sibling)), head < modifier);
  }
  void enter_between(std::size_t g) {
    Between& between = between_[g];
    const auto attribute = static_cast<std::size_t>(templates_->between()[g].attribute);
    enter_block(templates_->between()[g].block, between.sides);
    const auto size = static_cast<std::size_t>(words_) + 1;
    between.codes.resize(size);
    between.before.assign(size, 0);
    for (Id p = 1; p <= words_; ++p) {
      const std::uint64_t value = values(p)[attribute];
      between.codes[static_cast<std::size_t>(p)] = static_cast<std::uint32_t>(finalise(value));
      Id q = p - 1;
      while (q > 0 && values(q)[attribute] != value) --q;
      between.before[static_cast<std::size_t>(p)] = q;
      steps_(p - q);
    }
  }
  // The codes of the distinct values between two tokens, and where each stands first.
  template <class Visit>
  LINNET_INLINE static void each_between(const Between& between, Id head, Id modifier,
                                         Visit&& visit) {
    const Id from = std::min(head, modifier), to = std::max(head, modifier);
    for (Id p = from + 1; p < to; ++p)
      if (between.before[static_cast<std::size_t>(p)] <= from)
        visit(between.codes[static_cast<std::size_t>(p)], p);
  }

  const ArcTemplates* templates_ = nullptr;
  Id words_ = 0;
  std::vector<std::uint64_t> values_;  // [position][attribute]
  std::vector<Id> tree_[3];            // first and last dependent and head, −1 for none
  Codes head_views_, modifier_views_, heads_alone_, modifiers_alone_;
  Sides pairs_, with_siblings_;
  Codes sibling_views_, siblings_, arc_;
  std::vector<Between> between_;
  std::vector<float> head_scores_[2], modifier_scores_[2];  // by direction
  Steps steps_;
};

// Candidate arcs, packed: those of the t-th token of all are heads[starts[t] … starts[t + 1]),
// ascending, 0 for the root.
struct CandidateArcs {
  std::span<const Index> starts;
  std::span<const Id> heads;
};

// What the score of an arc costs: all words in between are looked at.
inline Index arc_steps(Id head, Id modifier) { return 32 + std::abs(head - modifier); }

// Scores of the candidate arcs of the sentence entered, whose first token is `token` of all.
inline void score_arcs(ArcSentence& sentence, const CandidateArcs& arcs, Index token,
                       const float* w, float* out) {
  sentence.score_alone(w);
  Index arc = arcs.starts[token];
  Steps steps;
  for (Id m = 1; m <= sentence.words(); ++m)
    for (const Index end = arcs.starts[token + m]; arc < end; ++arc) {
      *out++ = sentence.score(arcs.heads[arc], m, w);
      steps(arc_steps(arcs.heads[arc], m));
    }
}

}  // namespace linnet
