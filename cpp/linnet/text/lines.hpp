// Lines of a buffer as spans: one pass with memchr, nothing copied.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace linnet {

// Line i is the bytes [starts[i], ends[i]), without its end of line (\n or \r\n). splits[i] is the
// place of the first separator in it, or -1.
struct Lines {
  std::vector<std::int64_t> starts, ends, splits;
};

// The lines from byte `first` on. A last line needs no end of line; an end of line at the very end
// of the buffer starts no further line.
inline Lines find_lines(std::string_view buffer, std::size_t first, char separator) {
  Lines lines;
  const char* const base = buffer.data();
  const char* const end = base + buffer.size();
  for (const char* at = base + first; at < end;) {
    const auto left = static_cast<std::size_t>(end - at);
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', left));
    const char* stop = newline ? newline : end;
    const char* const next = newline ? newline + 1 : end;
    while (stop > at && stop[-1] == '\r') --stop;
    const auto* split =
        static_cast<const char*>(std::memchr(at, separator, static_cast<std::size_t>(stop - at)));
    lines.starts.push_back(at - base);
    lines.ends.push_back(stop - base);
    lines.splits.push_back(split ? split - base : -1);
    at = next;
  }
  return lines;
}

// The tokens with a prefix at the beginning of each line: those of line i are
// [offsets[i], offsets[i + 1]), each without the prefix; the text begins at texts[i]. `stray` is
// the first line whose text holds the prefix, too, or -1.
struct Prefixed {
  std::vector<std::int64_t> starts, ends, offsets, texts;
  std::int64_t stray = -1;
};

inline Prefixed find_prefixed(std::string_view buffer, std::span<const std::int64_t> starts,
                              std::span<const std::int64_t> ends, std::string_view prefix) {
  constexpr std::string_view blank = " \t";
  Prefixed found;
  found.offsets.push_back(0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::string_view line =
        buffer.substr(0, static_cast<std::size_t>(ends[i]));  // so that places are the buffer's
    auto at = static_cast<std::size_t>(starts[i]);
    while (line.substr(at).starts_with(prefix)) {
      const std::size_t stop = std::min(line.find_first_of(blank, at), line.size());
      found.starts.push_back(static_cast<std::int64_t>(at + prefix.size()));
      found.ends.push_back(static_cast<std::int64_t>(stop));
      at = std::min(stop + 1, line.size());  // one blank ends a label; more belong to the text
    }
    found.offsets.push_back(static_cast<std::int64_t>(found.starts.size()));
    found.texts.push_back(static_cast<std::int64_t>(at));
    if (found.stray < 0 && line.find(prefix, at) != line.npos)
      found.stray = static_cast<std::int64_t>(i);
  }
  return found;
}

}  // namespace linnet
