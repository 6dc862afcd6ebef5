// A cheap first pass: which heads of a token are worth a look. Few templates, mostly of tags, in a
// small table of weights; each token chooses its head by itself,
//   p(h | m) = exp s(h, m) / Σ exp s(h', m),
// trained by AdaGrad. Heads much less likely than the best one are dropped. Neighbours and the root
// always stay, so that there always is a projective tree.
#pragma once
#include <algorithm>
#include <numeric>

#include "linnet/arcs/arc_rows.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/base/lanes.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

namespace detail {

// scores[h] of all heads of token m, −inf of itself; tells the largest.
inline float score_heads(const ArcSentence& sentence, Id m, const float* w,
                         std::vector<float>& scores) {
  scores.resize(static_cast<std::size_t>(sentence.words()) + 1);
  float top = static_cast<float>(-kInf);
  Steps steps;
  for (Id h = 0; h <= sentence.words(); ++h) {
    float& score = scores[static_cast<std::size_t>(h)];
    score = h == m ? static_cast<float>(-kInf) : sentence.score(h, m, w);
    top = std::max(top, score);
    steps(arc_steps(h, m));
  }
  return top;
}

}  // namespace detail

// The weights of all features after some passes over trees; heads are −1 where they are missing.
inline std::vector<float> train_first_pass(const ArcTokens& tokens, std::span<const Id> heads,
                                           int passes, std::uint64_t seed) {
  constexpr float kRate = 0.1f, kNegligible = 0.01f;
  const auto offsets = tokens.sentences().offsets();
  if (std::ssize(heads) != offsets.back())
    throw std::invalid_argument("there must be one head for each token");
  std::vector<float> w(static_cast<std::size_t>(tokens.templates().features()));
  std::vector<float> squares(w.size(), 1e-8f), p;
  std::vector<Index> order(offsets.size() - 1);
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(seed);
  ArcSentence sentence;
  StopPoll poll;
  for (int pass = 0; pass < passes; ++pass) {
    rng.shuffle(std::span(order));
    for (const Index i : order) {
      poll();
      sentence.enter(tokens, i);
      sentence.score_alone(w.data());
      for (Id m = 1; m <= sentence.words(); ++m) {
        const Id gold = heads[static_cast<std::size_t>(offsets[i]) + m - 1];
        if (gold < 0) continue;
        const float top = detail::score_heads(sentence, m, w.data(), p);
        float sum = 0;
        for (float& each : p) sum += each = exp_without_branches<float, std::int32_t>(each - top);
        for (Id h = 0; h <= sentence.words(); ++h) {
          const float delta = (h == gold ? 1.f : 0.f) - p[static_cast<std::size_t>(h)] / sum;
          if (h == m || std::abs(delta) < kNegligible) continue;
          sentence.each_feature(h, m, [&](Id f) {
            float& square = squares[static_cast<std::size_t>(f)];
            square += delta * delta;
            w[static_cast<std::size_t>(f)] += kRate * delta / std::sqrt(square);
          });
        }
      }
    }
  }
  return w;
}

struct ArcLists {
  std::vector<Index> starts{0};
  std::vector<Id> heads;
};

// So many heads of a token are enough. Few words of few corpora have more; but in a sentence of
// thousands of words, where many heads are about as likely, time and memory would grow with n³.
inline constexpr Index kMostHeads = 64;

namespace detail {

// Of the heads of m from `begin` on, those that must stay and the likeliest; of equals the nearest.
inline void keep_likeliest(std::vector<Id>& heads, Index begin, Id m, Id known,
                           const std::vector<float>& scores) {
  const auto must = [&](Id h) { return h == 0 || std::abs(h - m) == 1 || h == known; };
  const auto better = [&](Id a, Id b) {
    if (must(a) || must(b)) return must(a) && (!must(b) || a < b);  // their score may be NaN
    const float of_a = scores[static_cast<std::size_t>(a)],
                of_b = scores[static_cast<std::size_t>(b)];
    if (of_a != of_b) return of_a > of_b;
    const Id far_a = std::abs(a - m), far_b = std::abs(b - m);
    return far_a != far_b ? far_a < far_b : a < b;
  };
  const auto first = heads.begin() + begin;
  std::nth_element(first, first + kMostHeads, heads.end(), better);
  heads.resize(static_cast<std::size_t>(begin + kMostHeads));
  std::sort(heads.begin() + begin, heads.end());
}

}  // namespace detail

// Heads of each token whose log-probability is not below that of the best by more than `within`,
// beside the neighbours, the root and those of `also` (known heads; may be empty, −1 for none).
inline ArcLists likely_arcs(const ArcTokens& tokens, std::span<const float> w, float within,
                            std::span<const Id> also, int threads) {
  const auto offsets = tokens.sentences().offsets();
  if (std::ssize(w) != tokens.templates().features())
    throw std::invalid_argument("there must be one weight for each feature of the first pass");
  if (!also.empty() && std::ssize(also) != offsets.back())
    throw std::invalid_argument("there must be one head for each token");
  struct Shard {
    ArcSentence sentence;
    std::vector<float> scores;
    ArcLists lists;
  };
  ArcLists all;
  StopPoll poll;
  const std::vector<Index> shards = shard_starts(offsets);
  make_and_take<Shard>(
      std::ssize(shards) - 1, threads,
      [&](Index s, Shard& shard) {
        poll();
        auto& [sentence, scores, lists] = shard;
        lists.starts.clear();
        lists.heads.clear();
        for (Index i = shards[s]; i < shards[s + 1]; ++i) {
          sentence.enter(tokens, i);
          sentence.score_alone(w.data());
          for (Id m = 1; m <= sentence.words(); ++m) {
            const float bar = detail::score_heads(sentence, m, w.data(), scores) - within;
            const Id known = also.empty() ? -1 : also[static_cast<std::size_t>(offsets[i]) + m - 1];
            for (Id h = 0; h <= sentence.words(); ++h)
              if (h != m && (scores[static_cast<std::size_t>(h)] >= bar || h == 0 ||
                             std::abs(h - m) == 1 || h == known))
                lists.heads.push_back(h);
            if (const Index begin = lists.starts.empty() ? 0 : lists.starts.back();
                std::ssize(lists.heads) - begin > kMostHeads)
              detail::keep_likeliest(lists.heads, begin, m, known, scores);
            lists.starts.push_back(std::ssize(lists.heads));
          }
        }
      },
      [&](const Shard& shard) {
        const Index before = std::ssize(all.heads);
        for (const Index start : shard.lists.starts) all.starts.push_back(before + start);
        all.heads.insert(all.heads.end(), shard.lists.heads.begin(), shard.lists.heads.end());
      });
  return all;
}

}  // namespace linnet
