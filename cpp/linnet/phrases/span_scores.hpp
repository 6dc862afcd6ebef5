// Scores of all labels over all spans of a sentence. What the begin and the end of a span say by
// themselves is summed once for each place, and added to what the two say together.
#pragma once
#include "linnet/phrases/label_rows.hpp"
#include "linnet/phrases/pair_rows.hpp"

namespace linnet {

class SpanScores {
 public:
  // The caller keeps tokens and templates alive.
  SpanScores(const PhraseTokens& tokens, const SpanTemplates& templates, Id labels)
      : tokens_(tokens),
        templates_(templates),
        pairs_(templates),
        labels_(labels),
        stride_(padded(labels)) {
    if (labels < 1) throw std::invalid_argument("there must be at least one label");
    sum_.resize(static_cast<std::size_t>(stride_));
  }
  Id labels() const { return labels_; }
  Id stride() const { return stride_; }
  Index size() const { return templates_.features() * stride_; }  // of weights
  Id words() const { return seen_.words(); }
  const PhraseSentence& sentence() const { return seen_; }
  void enter(Index sentence) { seen_.enter(tokens_, sentence); }

  // visit(i, j, scores [stride]) for all spans, by begin, then end. w: [features][stride].
  template <class Visit>
  void score(const float* w, Visit&& visit) {
    score(FloatRows(w, stride_), visit);
  }
  // table: FloatRows or ByteRows.
  template <class Table, class Visit>
  void score(const Table& table, Visit&& visit) {
    const Id n = words();
    const auto stride = static_cast<std::size_t>(stride_);
    begins_.resize(static_cast<std::size_t>(n) * stride);
    ends_.resize(static_cast<std::size_t>(n + 1) * stride);
    const auto ask = [&](std::vector<Id>& rows) {
      rows.clear();
      return [&](Id row) {
        table.ask(row);
        rows.push_back(row);
      };
    };
    for (Id t = 0; t < n; ++t) {
      templates_.of_begin(seen_, t, ask(rows_));
      templates_.of_end(seen_, t + 1, ask(next_));
      table.add(rows_, nullptr, nullptr, begins_.data() + static_cast<std::size_t>(t) * stride);
      table.add(next_, nullptr, nullptr, ends_.data() + static_cast<std::size_t>(t + 1) * stride);
    }
    // Rows of the next span are on their way while those of a span are added.
    pairs_.enter(seen_);
    if (n > 0) pairs_.each(0, 1, ask(next_));
    for (Id i = 0; i < n; ++i)
      for (Id j = i + 1; j <= n; ++j) {
        std::swap(rows_, next_);
        if (j < n)
          pairs_.each(i, j + 1, ask(next_));
        else if (i + 1 < n)
          pairs_.each(i + 1, i + 2, ask(next_));
        table.add(rows_, begins_.data() + static_cast<std::size_t>(i) * stride,
                  ends_.data() + static_cast<std::size_t>(j) * stride, sum_.data());
        visit(i, j, std::span<float>(sum_));
      }
  }
  // visit(place of the weight) for the features of a span with a label.
  template <class Visit>
  void each_weight(Id i, Id j, Id label, Visit&& visit) const {
    templates_.of_span(seen_, i, j, [&](Id row) { visit(place(row) + label); });
  }
  Index place(Id row) const { return static_cast<Index>(row) * stride_; }

 private:
  const PhraseTokens& tokens_;
  const SpanTemplates& templates_;
  PairRows pairs_;
  Id labels_, stride_;
  PhraseSentence seen_;
  std::vector<Id> rows_, next_;
  Buffer<float> begins_, ends_, sum_;
};

}  // namespace linnet
