// From raw text to scores, without rows in between:
//
//   score[y] = intercept[y] + Σ_j W[j][y] x_j / norm(x),   x_j = transform(v_j t(count_j))
//
// A document goes through a few small loops whose data stay in the first-level cache: hashes of its
// grams, numbers and counts of its features (counts.hpp, as for rows), the sums, with memory asked
// for ahead in each. Documents are independent, so the bits of a score do not depend on the number
// of threads.
#pragma once
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "linnet/base/thread_pool.hpp"
#include "linnet/decoding/text_tables.hpp"
#include "linnet/text/analyzer.hpp"
#include "linnet/text/counts.hpp"
#include "linnet/text/numbering.hpp"
#include "linnet/text/pipeline.hpp"
#include "linnet/text/texts.hpp"
#include "linnet/text/weighting.hpp"

namespace linnet {

class TextScorer {
 public:
  // The caller keeps analyzer and tables alive, and what the numbering looks into.
  TextScorer(const Analyzer& analyzer, Numbering numbering, Weighting weighting,
             const ModelTables& tables)
      : analyzer_(&analyzer),
        numbering_(std::move(numbering)),
        weighting_(std::move(weighting)),
        tables_(&tables) {
    if (tables_->features() < features_of(numbering_))
      throw std::invalid_argument("the vocabulary has more features than the model has weights");
    weighting_.check(static_cast<Index>(analyzer_->parts()));
  }

  const Analyzer& analyzer() const { return *analyzer_; }
  const Numbering& numbering() const { return numbering_; }
  const Weighting& weighting() const { return weighting_; }
  const ModelTables& tables() const { return *tables_; }

  // out[i][y] for all texts. Throws Interrupted.
  void scores(const Texts& texts, int threads, double* out) const {
    StopPoll poll;
    const std::vector<Index> starts = shard_starts(texts);
    parallel_for(static_cast<Index>(starts.size()) - 1, threads, [&](Index s) {
      Scratch scratch;
      for (Index i = starts[s]; i < starts[s + 1]; ++i) {
        poll();
        score(texts[i], scratch, out + i * tables_->width());
      }
    });
  }

 private:
  struct Scratch {
    KnownShard document;
    std::vector<Hit> hits;
    std::vector<float> labels;
    std::vector<double> parts;  // scores of each part of a document
  };

  void score(std::string_view text, Scratch& s, double* out) const {
    KnownShard& document = s.document;
    document.clear();
    analyzer_->hashes(text, document.scratch, document.hashes);
    const bool counted = weighting_.tf != Tf::binary;
    std::visit([&](const auto& numbering) { document.add(numbering, counted); }, numbering_);
    s.hits.resize(document.ids.size());
    for (std::size_t k = 0; k < s.hits.size(); ++k) {
      tables_->prefetch(document.ids[k]);
      s.hits[k] = {document.ids[k], counted ? weighting_.tf_of(document.counts[k]) : 1.f};
    }
    if (document.ends.size() == 1) {
      Sums sums;
      tables_->score(s.hits, weighting_.transform, s.labels, out, sums);
      const double norm = norm_of(sums, weighting_.norm);
      for (Id y = 0; y < tables_->width(); ++y) out[y] = out[y] / norm + tables_->intercept(y);
      return;
    }
    mix_parts(s, out);
  }

  // Each part normalised by itself, then weighed.
  void mix_parts(Scratch& s, double* out) const {
    const auto width = static_cast<std::size_t>(tables_->width());
    PartMix mix(weighting_);
    s.parts.assign(s.document.ends.size() * width, 0.);
    std::size_t begin = 0;
    for (std::size_t p = 0; p < s.document.ends.size(); ++p) {
      const std::size_t end = s.document.ends[p];
      Sums sums;
      double* const part = s.parts.data() + p * width;
      tables_->score(std::span<Hit>(s.hits).subspan(begin, end - begin), weighting_.transform,
                     s.labels, part, sums);
      const double norm = norm_of(sums, weighting_.norm);
      for (std::size_t y = 0; y < width; ++y) part[y] /= norm;
      mix.add(sums.square > 0);
      begin = end;
    }
    for (std::size_t y = 0; y < width; ++y) {
      out[y] = tables_->intercept(static_cast<Id>(y));
      for (std::size_t p = 0; p < s.document.ends.size(); ++p)
        out[y] += s.parts[p * width + y] * mix.factor(static_cast<Index>(p));
    }
  }

  const Analyzer* analyzer_;
  Numbering numbering_;
  Weighting weighting_;
  const ModelTables* tables_;
};

}  // namespace linnet
