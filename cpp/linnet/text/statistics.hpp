// A few numbers about a text as a whole.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "linnet/base/thread_pool.hpp"
#include "linnet/text/analyzer.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

// Shares of the characters that are not white space, and ln(1 + tokens).
inline constexpr std::array<const char*, 4> kTextStatistics = {"punctuation", "uppercase", "digits",
                                                               "length"};
using TextStatistics = std::array<float, kTextStatistics.size()>;

inline TextStatistics text_statistics(std::string_view text, const Analyzer& analyzer,
                                      AnalyzerScratch& scratch) {
  Index visible = 0, punctuation = 0, uppercase = 0, digits = 0;
  utf8::each_point(text, [&](char32_t point, std::uint32_t, std::uint32_t) {
    const unicode::CharKind kind = unicode::kind_of(point);
    visible += kind.kind != unicode::CharClass::space;
    punctuation += kind.kind == unicode::CharClass::other;
    uppercase += kind.to_lower != 0;
    digits += kind.kind == unicode::CharClass::number;
  });
  analyzer.tokenise(text, scratch);
  const auto share = [&](Index count) {
    return visible == 0 ? 0.f : static_cast<float>(count) / static_cast<float>(visible);
  };
  return {share(punctuation), share(uppercase), share(digits),
          static_cast<float>(std::log1p(static_cast<double>(scratch.tokens.size())))};
}

inline std::vector<TextStatistics> text_statistics(const Texts& texts, const Analyzer& analyzer,
                                                   int threads) {
  std::vector<TextStatistics> all(static_cast<std::size_t>(texts.size()));
  const std::vector<Index> starts = shard_starts(texts);
  StopPoll poll;
  parallel_for(static_cast<Index>(starts.size()) - 1, threads, [&](Index s) {
    AnalyzerScratch scratch;
    for (Index i = starts[s]; i < starts[s + 1]; ++i) {
      poll();
      all[i] = text_statistics(texts[i], analyzer, scratch);
    }
  });
  return all;
}

}  // namespace linnet
