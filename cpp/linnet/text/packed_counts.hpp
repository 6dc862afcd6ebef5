// The counts of some documents as one string of bytes, and back.
#pragma once
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "linnet/text/counted_rows.hpp"

namespace linnet {

namespace detail {

// Arrays one after the other, each behind its length.
template <class T>
void put(std::string& to, std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t size = values.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  if (size > 0) to.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}
template <class T>
std::vector<T> take(std::string_view& from) {
  std::uint64_t size = 0;
  if (from.size() < sizeof size) throw std::invalid_argument("the counts are cut short");
  std::memcpy(&size, from.data(), sizeof size);
  from.remove_prefix(sizeof size);
  if (size > from.size() / sizeof(T)) throw std::invalid_argument("the counts are cut short");
  std::vector<T> values(static_cast<std::size_t>(size));
  if (size > 0) std::memcpy(values.data(), from.data(), values.size() * sizeof(T));
  from.remove_prefix(values.size() * sizeof(T));
  return values;
}

}  // namespace detail

inline std::string packed_counts(const CountedRows& rows) {
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> larges;
  for (const auto& [place, count] : rows.counts.large()) {
    places.push_back(place);
    larges.push_back(count);
  }
  std::string to;
  to.reserve(rows.starts.size() * 8 + rows.ids.size() * 5 + places.size() * 12 + 64);
  detail::put(to, std::span<const Index>(&rows.parts, 1));
  detail::put(to, std::span<const Index>(rows.starts));
  detail::put(to, rows.ids.span());
  detail::put(to, rows.counts.bytes());
  detail::put(to, std::span<const std::uint64_t>(places));
  detail::put(to, std::span<const std::uint32_t>(larges));
  return to;
}

inline CountedRows unpacked_counts(std::string_view from, Index features) {
  CountedRows rows;
  const std::vector<Index> parts = detail::take<Index>(from);
  rows.starts = detail::take<Index>(from);
  const std::vector<Id> ids = detail::take<Id>(from);
  const std::vector<std::uint8_t> bytes = detail::take<std::uint8_t>(from);
  const std::vector<std::uint64_t> places = detail::take<std::uint64_t>(from);
  const std::vector<std::uint32_t> larges = detail::take<std::uint32_t>(from);
  bool sound = parts.size() == 1 && parts[0] > 0 && !rows.starts.empty() && rows.starts[0] == 0 &&
               rows.starts.back() == static_cast<Index>(ids.size()) &&
               std::is_sorted(rows.starts.begin(), rows.starts.end()) &&
               (bytes.empty() || bytes.size() == ids.size()) && places.size() == larges.size();
  for (Id id : ids) sound = sound && id >= 0 && id < features;
  std::vector<ByteCounts::Large> large;
  for (std::size_t k = 0; sound && k < places.size(); ++k) {
    sound = places[k] < bytes.size() && (k == 0 || places[k] > places[k - 1]);
    large.emplace_back(static_cast<std::size_t>(places[k]), larges[k]);
  }
  if (!sound || (rows.starts.size() - 1) % static_cast<std::size_t>(parts[0]) != 0)
    throw std::invalid_argument("the counts are damaged");
  rows.parts = parts[0];
  rows.ids.append(ids);
  rows.counts.restore(bytes, std::move(large));
  return rows;
}

}  // namespace linnet
