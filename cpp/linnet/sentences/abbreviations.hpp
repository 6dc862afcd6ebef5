// English words that end in a period, and words that begin sentences: what the tokeniser and the
// sentence splitter know by heart. Lower case, sorted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace linnet::english {

enum class Abbreviation : std::uint8_t {
  none,
  leading,    // a name follows, so that no sentence ends here: Dr.
  trailing,   // a sentence may end here: Inc.
  numbering,  // only before a number: No. 5
};

namespace words {
using namespace std::string_view_literals;

// Titles and ranks; written with a capital.
inline constexpr std::string_view kTitles[] = {
    "adm"sv, "brig"sv, "capt"sv, "cmdr"sv, "col"sv, "cpl"sv,  "dr"sv,     "fr"sv,   "ft"sv,
    "gen"sv, "gov"sv,  "hon"sv,  "insp"sv, "lt"sv,  "maj"sv,  "messrs"sv, "mlle"sv, "mme"sv,
    "mr"sv,  "mrs"sv,  "ms"sv,   "mt"sv,   "mx"sv,  "pfc"sv,  "pres"sv,   "prof"sv, "pvt"sv,
    "rep"sv, "rev"sv,  "sen"sv,  "sgt"sv,  "st"sv,  "supt"sv,
};
// In the middle of a sentence, in any case of letters.
inline constexpr std::string_view kInner[] = {"ca"sv, "cf"sv, "viz"sv, "vs"sv};
// Of firms, places, months and days; written with a capital.
inline constexpr std::string_view kNames[] = {
    "ala"sv,   "apr"sv,  "ariz"sv, "ark"sv,  "assn"sv, "aug"sv,  "ave"sv,  "blvd"sv, "bros"sv,
    "calif"sv, "co"sv,   "colo"sv, "conn"sv, "corp"sv, "dec"sv,  "dept"sv, "esq"sv,  "feb"sv,
    "fla"sv,   "fri"sv,  "inc"sv,  "jan"sv,  "jr"sv,   "ky"sv,   "llc"sv,  "ltd"sv,  "md"sv,
    "mich"sv,  "minn"sv, "mon"sv,  "mont"sv, "neb"sv,  "nev"sv,  "nov"sv,  "oct"sv,  "okla"sv,
    "ph.d"sv,  "plc"sv,  "sep"sv,  "sept"sv, "sr"sv,   "tenn"sv, "tex"sv,  "thu"sv,  "thur"sv,
    "thurs"sv, "tue"sv,  "tues"sv, "univ"sv, "vt"sv,   "wed"sv,  "wis"sv,  "wyo"sv,
};
// At the end of a phrase, in any case of letters.
inline constexpr std::string_view kTails[] = {"al"sv, "approx"sv, "etc"sv, "govt"sv, "intl"sv};
inline constexpr std::string_view kNumberings[] = {
    "art"sv, "ch"sv, "eq"sv, "eqs"sv,  "fig"sv, "figs"sv, "no"sv,
    "nos"sv, "p"sv,  "pp"sv, "sect"sv, "tab"sv, "vol"sv,  "vols"sv,
};
inline constexpr std::string_view kStarters[] = {
    "a"sv,      "after"sv, "all"sv,    "also"sv,  "an"sv,    "and"sv,       "as"sv,       "at"sv,
    "before"sv, "both"sv,  "but"sv,    "by"sv,    "dr"sv,    "each"sv,      "even"sv,     "for"sv,
    "from"sv,   "he"sv,    "her"sv,    "his"sv,   "how"sv,   "however"sv,   "i"sv,        "if"sv,
    "in"sv,     "is"sv,    "it"sv,     "its"sv,   "many"sv,  "meanwhile"sv, "moreover"sv, "most"sv,
    "mr"sv,     "mrs"sv,   "ms"sv,     "my"sv,    "no"sv,    "not"sv,       "now"sv,      "of"sv,
    "on"sv,     "one"sv,   "or"sv,     "our"sv,   "she"sv,   "since"sv,     "so"sv,       "some"sv,
    "such"sv,   "that"sv,  "the"sv,    "their"sv, "then"sv,  "there"sv,     "these"sv,    "they"sv,
    "this"sv,   "those"sv, "though"sv, "to"sv,    "two"sv,   "under"sv,     "until"sv,    "we"sv,
    "what"sv,   "when"sv,  "where"sv,  "which"sv, "while"sv, "who"sv,       "why"sv,      "with"sv,
    "yes"sv,    "yet"sv,   "you"sv,    "your"sv,
};
static_assert(std::ranges::is_sorted(kTitles) && std::ranges::is_sorted(kNames) &&
              std::ranges::is_sorted(kStarters) && std::ranges::is_sorted(kNumberings));
}  // namespace words

inline constexpr std::size_t kLongest = 9;  // of all these words

inline std::string lowered(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

// Of a word without its period.
inline Abbreviation abbreviation(std::string_view word) {
  if (word.empty() || word.size() > kLongest) return Abbreviation::none;
  const std::string lower = lowered(word);
  const auto among = [&](const auto& list) { return std::ranges::binary_search(list, lower); };
  const bool capital = word[0] >= 'A' && word[0] <= 'Z';
  if (among(words::kNumberings)) return Abbreviation::numbering;
  if (among(words::kInner) || (capital && among(words::kTitles))) return Abbreviation::leading;
  if (among(words::kTails) || (capital && among(words::kNames))) return Abbreviation::trailing;
  return Abbreviation::none;
}

inline bool starts_sentences(std::string_view word) {
  return word.size() <= kLongest && std::ranges::binary_search(words::kStarters, lowered(word));
}

}  // namespace linnet::english
