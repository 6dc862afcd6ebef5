// Taggers by segments: sentences decoded in every way by sparse weights, through the generic
// recursions over `SemiMarkov`. Outputs are codes of tokens: 0 outside, y = 1 .. types first in a
// segment of that type, types + y inside one.
#pragma once
#include "linnet/data/segment_data.hpp"
#include "linnet/decoding/sentence_blocks.hpp"
#include "linnet/inference/entropy.hpp"
#include "linnet/inference/sample.hpp"

namespace linnet {

class SegmentScorer {
 public:
  // lengths: [lengths][types]; transitions: [types + 1][types + 1], outside first. The caller keeps
  // the weights of tokens alive.
  SegmentScorer(LabelWeights tokens, Id types, Id longest, std::span<const float> lengths,
                std::span<const float> transitions)
      : tokens_(tokens),
        layout_(types, std::max<Id>(static_cast<Id>(lengths.size()) / std::max(types, 1), 1),
                longest, tokens.features()) {
    const SemiMarkov& shape = layout_.shape;
    if (tokens.width() != shape.columns() ||
        static_cast<Id>(lengths.size()) != shape.lengths * types ||
        static_cast<Id>(transitions.size()) != (types + 1) * (types + 1))
      throw std::invalid_argument("the weights do not fit the types and lengths of segments");
    for (const auto& given : {lengths, transitions}) {
      LabelWeights::check_weights(given);
      tied_.insert(tied_.end(), given.begin(), given.end());
    }
  }
  Id types() const { return layout_.shape.types; }
  Index features() const { return tokens_.features(); }

  // Best codes [tokens] and their score [sentences].
  void best(const TokenInput& input, int threads, Id* codes, double* scores) const {
    decode(input, threads, [&](const Sentence& s, Scratch& scratch) {
      scratch.mu.resize(s.theta.size());
      const double score =
          solve<Max>(s.segments, s.theta, std::span<double>(scratch.mu), scratch.oracle.real);
      for (Id t = 0; t < s.segments.length; ++t)
        for (Id c = 0; c < s.segments.codes(); ++c)
          if (scratch.mu[s.segments.at(t, c)] != 0) codes[s.begin + t] = c;
      return scores[s.number] = score;
    });
  }

  // What `marginals` says of each token: the probabilities to be outside; first, inside, last, and
  // first and last in a segment of each type; first in one right after another of its type.
  Id marginal_columns() const { return 5 * types() + 1; }
  // These [tokens][marginal_columns], and log Z [sentences].
  void marginals(const TokenInput& input, int threads, double* out, double* log_z) const {
    decode(input, threads, [&](const Sentence& s, Scratch& scratch) {
      const SemiMarkov& m = s.segments;
      Workspace<double>& work = scratch.oracle.real;
      scratch.mu.resize(s.theta.size());
      log_z[s.number] = solve<Log>(m, s.theta, std::span<double>(scratch.mu), work);
      // The share of an edge in its node: nodes are as probable as their adjoints say.
      const auto flow = [&](Id node, Id tail, Id a, Id b) {
        const double p = work.adjoint[node];
        return p == 0 ? 0
                      : p * exp(s.theta[a] + s.theta[b] + work.inside[tail] - work.inside[node]);
      };
      for (Id t = 0; t < m.length; ++t) {
        double* const row = out + (s.begin + t) * marginal_columns();
        std::copy_n(scratch.mu.data() + m.at(t, 0), m.columns(), row);
        double* const single = row + 3 * m.types;
        double* const touching = single + m.types;
        for (Id y = 1; y <= m.types; ++y) {
          const Id begun = m.open(t + 1, y, 1);
          single[y] = flow(m.closed(t + 1, y), begun, m.last(t, y), m.long_by(1, y));
          touching[y] = t == 0 ? 0 : flow(begun, m.closed(t, y), m.first(t, y), m.transition(y, y));
        }
      }
      return log_z[s.number];
    });
  }

  // The entropy of each sentence's outputs.
  void entropies(const TokenInput& input, int threads, double* out) const {
    decode(input, threads, [&](const Sentence& s, Scratch& scratch) {
      scratch.mu.resize(s.theta.size());
      out[s.number] =
          entropy(OracleOf<SemiMarkov>(s.segments), s.theta, scratch.mu, scratch.oracle);
      return 0.0;
    });
  }

  // The k best outputs of every sentence, best first.
  void kbest(const TokenInput& input, int threads, Id k, std::vector<SentenceOutputs>& out) const {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    out.assign(static_cast<std::size_t>(input.sentences()), {});
    decode(input, threads, [&](const Sentence& s, Scratch&) {
      KBest best(s.segments, s.theta);
      Output output;
      for (Id r = 0; r < k && best.output(r, output); ++r) {
        out[s.number].scores.push_back(output.score);
        append(s, output.parts, out[s.number].labels);
      }
      return out[s.number].scores.empty() ? -kInf : 0.0;
    });
  }

  // So many exact samples of every sentence's outputs, the same for any number of threads.
  void sample(const TokenInput& input, int threads, Id count, std::uint64_t seed,
              std::vector<SentenceOutputs>& out) const {
    if (count < 1) throw std::invalid_argument("there must be at least one sample");
    out.assign(static_cast<std::size_t>(input.sentences()), {});
    decode(input, threads, [&](const Sentence& s, Scratch&) {
      Sampler sampler(s.segments, s.theta);
      Rng rng(fold(seed ^ kHashSalts[0], static_cast<std::uint64_t>(s.number) ^ kHashSalts[1]));
      std::vector<Id> parts;
      for (Id n = 0; n < count && sampler.log_z() > -kInf; ++n) {
        sampler.sample(rng, parts);
        append(s, parts, out[s.number].labels);
      }
      return sampler.log_z();
    });
  }

  // The score of given codes [tokens]; -inf if they hold a segment that is too long.
  void scores_of(const TokenInput& input, int threads, std::span<const Id> codes,
                 double* out) const {
    if (std::ssize(codes) != input.tokens())
      throw std::invalid_argument("there must be one code for each token");
    decode(input, threads, [&](const Sentence& s, Scratch&) {
      const auto own = codes.subspan(static_cast<std::size_t>(s.begin),
                                     static_cast<std::size_t>(s.segments.length));
      Id found = 0;
      if (s.segments.fault(own, found) >= 0)
        throw std::invalid_argument("sentence " + std::to_string(s.number + 1) +
                                    ": its codes make no segments");
      double sum = 0;
      s.segments.parts_of(own, [&](Id p) { sum += s.theta[p]; });
      out[s.number] = s.segments.longest > 0 && found > s.segments.longest ? -kInf : sum;
      return 0.0;
    });
  }

 private:
  struct Scratch {
    void enter(const TokenInput& input, Index from, Index to) {
      input.read(from, to, room);
      first = input.offsets()[from];
    }
    TokenInput::Room room;
    Index first = 0;  // token read
    OracleWork oracle;
    std::vector<double> theta, mu;
  };
  struct Sentence {
    Index number, begin;
    SemiMarkov segments;
    std::span<const double> theta;
  };

  static void append(const Sentence& s, std::span<const Id> parts, std::vector<Id>& codes) {
    const std::size_t at = codes.size();
    codes.resize(at + static_cast<std::size_t>(s.segments.length));
    s.segments.codes_of(parts, codes.data() + at);
  }

  // visit(sentence, scratch) of all that are not empty; -inf means that no output is possible.
  template <class Visit>
  void decode(const TokenInput& input, int threads, Visit&& visit) const {
    check_input(input, features(), threads);
    for_each_sentence(
        input, threads, [] { return std::make_unique<Scratch>(); },
        [&](Index i, Index begin, Index length, Scratch& scratch) {
          const SemiMarkov& shape = layout_.shape;
          if (!SemiMarkov::fits(static_cast<double>(length), shape.types, shape.lengths,
                                shape.longest))
            throw std::invalid_argument("sentence " + std::to_string(i + 1) +
                                        " has more than 2^31 parts");
          const SemiMarkov segments = layout_.of(static_cast<Id>(length));
          const Index own = length * segments.columns(), from = begin - scratch.first;
          scratch.theta.resize(static_cast<std::size_t>(own));
          tokens_.score(scratch.room.entries(), from, from + length, input.bias(),
                        segments.columns(), scratch.theta.data());
          scratch.theta.insert(scratch.theta.end(), tied_.begin(), tied_.end());
          if (visit(Sentence{i, begin, segments, scratch.theta}, scratch) == -kInf)
            throw std::invalid_argument("sentence " + std::to_string(i + 1) +
                                        ": no segments have a finite score");
        });
  }

  LabelWeights tokens_;
  SegmentLayout layout_;
  std::vector<double> tied_;  // lengths, then transitions
};

}  // namespace linnet
