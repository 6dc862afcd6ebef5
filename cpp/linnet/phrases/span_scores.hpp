// Scores of all labels over all spans of a sentence. What the begin and the end of a span say by
// themselves is summed once for each place, and added to what the two say together.
#pragma once
#include "linnet/phrases/span_templates.hpp"

namespace linnet {

class SpanScores {
 public:
  // The caller keeps tokens and templates alive.
  SpanScores(const PhraseTokens& tokens, const SpanTemplates& templates, Id labels)
      : tokens_(tokens), templates_(templates), labels_(labels), stride_(padded(labels)) {
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
    const Id n = words();
    const auto stride = static_cast<std::size_t>(stride_);
    begins_.resize(static_cast<std::size_t>(n) * stride);
    ends_.resize(static_cast<std::size_t>(n + 1) * stride);
    for (Id t = 0; t < n; ++t) {
      rows_.clear();
      templates_.of_begin(seen_, t, [&](Id row) { ask(w, row); });
      add_rows(w, nullptr, nullptr, begins_.data() + static_cast<std::size_t>(t) * stride);
      rows_.clear();
      templates_.of_end(seen_, t + 1, [&](Id row) { ask(w, row); });
      add_rows(w, nullptr, nullptr, ends_.data() + static_cast<std::size_t>(t + 1) * stride);
    }
    for (Id i = 0; i < n; ++i)
      for (Id j = i + 1; j <= n; ++j) {
        rows_.clear();
        templates_.of_pair(seen_, i, j, [&](Id row) { ask(w, row); });
        add_rows(w, begins_.data() + static_cast<std::size_t>(i) * stride,
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
  LINNET_INLINE void ask(const float* w, Id row) {
    const float* at = w + place(row);
    for (Id y = 0; y < stride_; y += 16) LINNET_PREFETCH_ROW(at + y);
    rows_.push_back(row);
  }
  void add_rows(const float* w, const float* begin, const float* end, float* out) const {
    add_rows(w, rows_.data(), std::ssize(rows_), stride_, begin, end, out);
  }
  // Some labels of all rows at a time, whose sums stay in registers.
  LINNET_CLONES static void add_rows(const float* w, const Id* rows, Index count, Id stride,
                                     const float* begin, const float* end, float* out) {
    Id y = 0;
    for (; y + kWide <= stride; y += kWide)
      add_labels<kWide>(w + y, rows, count, stride, begin ? begin + y : nullptr,
                        begin ? end + y : nullptr, out + y);
    for (; y + kNarrow <= stride; y += kNarrow)
      add_labels<kNarrow>(w + y, rows, count, stride, begin ? begin + y : nullptr,
                          begin ? end + y : nullptr, out + y);
    for (; y < stride; ++y)
      add_labels<1>(w + y, rows, count, stride, begin ? begin + y : nullptr,
                    begin ? end + y : nullptr, out + y);
  }
  template <int N>
  LINNET_INLINE static void add_labels(const float* w, const Id* rows, Index count, Id stride,
                                       const float* begin, const float* end, float* out) {
    float sum[N];
    for (int y = 0; y < N; ++y) sum[y] = begin ? begin[y] + end[y] : 0.f;
    for (Index k = 0; k < count; ++k) {
      const float* row = w + static_cast<Index>(rows[k]) * stride;
      for (int y = 0; y < N; ++y) sum[y] += row[y];
    }
    for (int y = 0; y < N; ++y) out[y] = sum[y];
  }
  static constexpr int kWide = 32, kNarrow = 8;

  const PhraseTokens& tokens_;
  const SpanTemplates& templates_;
  Id labels_, stride_;
  PhraseSentence seen_;
  std::vector<Id> rows_;
  Buffer<float> begins_, ends_, sum_;
};

}  // namespace linnet
