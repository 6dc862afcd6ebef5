// Templates of token features. A template is literal text with values of attributes in between,
//   literals[0] value[0] literals[1] value[1] … literals[n],
// and this text is the name of the feature it gives. The feature itself is a hash, combined of the
// literals' hash, the template's salt, and the hashes of the values, each of which is computed once
// for every distinct token. So two templates of the same literals give the same features.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "linnet/sentences/attributes.hpp"

namespace linnet {

struct Atom {
  Id attribute;
  Id offset;  // from the token the feature is of
};

struct Template {
  std::vector<std::string> literals;
  std::vector<Atom> atoms;  // one fewer
};

class Templates {
 public:
  Templates(std::vector<Attribute> attributes, std::vector<Template> templates)
      : attributes_(std::move(attributes)), templates_(std::move(templates)) {
    for (const Template& each : templates_) {
      if (each.literals.size() != each.atoms.size() + 1)
        throw std::invalid_argument("a template needs literal text around each of its values");
      std::uint64_t salt = 0;
      for (const std::string& literal : each.literals) salt = combine(salt, hash_bytes(literal));
      salts_.push_back(salt);
      sizes_.push_back(static_cast<std::uint32_t>(each.atoms.size()));
      for (const Atom& atom : each.atoms) {
        if (atom.attribute < 0 || atom.attribute >= std::ssize(attributes_))
          throw std::invalid_argument("a template names an attribute that is not there");
        if (std::abs(atom.offset) > kMostAway)
          throw std::invalid_argument("templates look at most " + std::to_string(kMostAway) +
                                      " tokens away");
        if (atom.offset != 0 && attributes_[atom.attribute].of_position())
          throw std::invalid_argument("bias, first and last are of the token itself");
        margin_ = std::max(margin_, std::abs(atom.offset));
      }
    }
  }

  static constexpr Id kMostAway = 100;
  Index size() const { return std::ssize(templates_); }
  const Template& operator[](Index m) const { return templates_[m]; }
  std::span<const Attribute> attributes() const { return attributes_; }
  std::span<const std::uint64_t> salts() const { return salts_; }
  std::span<const std::uint32_t> sizes() const { return sizes_; }  // in atoms
  Id margin() const { return margin_; }                            // how far away templates look

 private:
  std::vector<Attribute> attributes_;
  std::vector<Template> templates_;
  std::vector<std::uint64_t> salts_;
  std::vector<std::uint32_t> sizes_;
  Id margin_ = 0;
};

// The hashes of the values of all attributes of a column, side by side for each distinct token: a
// record. After these come a record without values, and those of the places outside a sentence.
class ValueRecords {
 public:
  ValueRecords(std::vector<const Attribute*> attributes, const TokenColumn& column,
               const GivenFlags& given, Id margin, int threads)
      : attributes_(std::move(attributes)), margin_(margin), size_(column.values.size()) {
    const std::size_t width = attributes_.size();
    values_.assign((size_ + 1 + 2 * static_cast<std::size_t>(margin)) * width, kNoValue);
    constexpr Index kBlock = 512;
    const auto size = static_cast<Index>(size_);
    parallel_for((size + kBlock - 1) / kBlock, threads, [&](Index block) {
      TokenView token;
      for (Index k = block * kBlock; k < std::min(size, (block + 1) * kBlock); ++k) {
        const auto place = static_cast<std::size_t>(k);
        token.assign(column.values[place]);
        for (std::size_t a = 0; a < width; ++a)
          if (const TokenValue value = value_of(*attributes_[a], token, place, given))
            values_[place * width + a] = hash_value(*value);
      }
    });
    for (Id away = -margin; away <= margin; ++away)
      for (std::size_t a = 0; a < width; ++a)
        if (away != 0 && attributes_[a]->marked())
          values_[static_cast<std::size_t>(outside(away) - values_.data()) + a] =
              hash_value(boundary_mark(away));
  }

  const std::uint64_t* of(Id code) const {
    return values_.data() +
           (code < 0 ? size_ : static_cast<std::size_t>(code)) * attributes_.size();
  }
  void prefetch(const std::uint64_t* record) const {
    for (std::size_t a = 0; a < attributes_.size(); a += 8) LINNET_PREFETCH(record + a);
  }
  // So far before the first token or after the last.
  const std::uint64_t* outside(Id away) const {
    return values_.data() + (size_ + static_cast<std::size_t>(away < 0 ? -away : margin_ + away)) *
                                attributes_.size();
  }

 private:
  std::vector<const Attribute*> attributes_;
  Id margin_;
  std::size_t size_;  // distinct tokens
  std::vector<std::uint64_t> values_;
};

// Templates over certain sentences: all values are hashed, the features can be read off.
class TemplateHashes {
 public:
  TemplateHashes(const Templates& templates, const TokenColumns& sentences, GivenFlags given,
                 int threads)
      : templates_(templates), sentences_(sentences), given_(std::move(given)) {
    std::vector<std::vector<const Attribute*>> by_column(
        static_cast<std::size_t>(sentences.columns()));
    for (const Attribute& attribute : templates.attributes()) {
      check(attribute);
      if (attribute.of_position()) {
        places_.push_back({sentences.columns(), place_in_record(attribute.kind)});
        continue;
      }
      auto& record = by_column[static_cast<std::size_t>(attribute.column)];
      places_.push_back({attribute.column, static_cast<Id>(record.size())});
      record.push_back(&attribute);
    }
    for (Id c = 0; c < sentences.columns(); ++c)
      records_.emplace_back(std::move(by_column[static_cast<std::size_t>(c)]), sentences.column(c),
                            given_, templates.margin(), threads);
  }

  // What one thread needs to go through sentences.
  struct Scratch {
    struct AtomValues {
      const std::uint64_t* const* records;  // from the first token on, shifted by the offset
      Id place;
    };
    std::vector<const std::uint64_t*> records;  // columns × (sentence and margins)
    std::vector<AtomValues> atoms;
  };

  // Makes `scratch` ready for a sentence.
  void enter(Index sentence, Scratch& scratch) const {
    const Index begin = sentences_.offsets()[sentence], end = sentences_.offsets()[sentence + 1];
    const Id margin = templates_.margin(), columns = sentences_.columns();
    const Index length = end - begin, width = length + 2 * Index{margin};
    scratch.records.resize(static_cast<std::size_t>((columns + 1) * width));
    const std::uint64_t** row = scratch.records.data() + margin;
    for (Id c = 0; c < columns; ++c, row += width) {
      const ValueRecords& records = records_[static_cast<std::size_t>(c)];
      const Id* codes = sentences_.column(c).codes.data() + begin;
      for (Id away = 1; away <= margin; ++away) {
        row[-away] = records.outside(-away);
        row[length + away - 1] = records.outside(away);
      }
      for (Index t = 0; t < length; ++t) records.prefetch(row[t] = records.of(codes[t]));
    }
    for (Index t = 0; t < length; ++t) row[t] = kPositions[(t == 0) + 2 * (t == length - 1)].data();
    scratch.atoms.clear();
    for (Index m = 0; m < templates_.size(); ++m)
      for (const Atom& atom : templates_[m].atoms) {
        const auto [column, place] = places_[static_cast<std::size_t>(atom.attribute)];
        scratch.atoms.push_back(
            {scratch.records.data() + column * width + margin + atom.offset, place});
      }
  }

  // The features of token t of the sentence entered: hashes and the templates that gave them, for
  // which there is room. Tells how many there are.
  LINNET_INLINE std::size_t hashes(const Scratch& scratch, Index t, std::uint64_t* out,
                                   std::uint32_t* which) const {
    std::size_t count = 0;
    const Scratch::AtomValues* atom = scratch.atoms.data();
    const std::uint64_t* const salts = templates_.salts().data();
    const std::uint32_t* const sizes = templates_.sizes().data();
    const auto size = static_cast<std::uint32_t>(templates_.size());
    for (std::uint32_t m = 0; m < size; ++m) {
      std::uint64_t hash = salts[m];
      bool there = true;
      for (const Scratch::AtomValues* end = atom + sizes[m]; atom < end; ++atom) {
        const std::uint64_t value = atom->records[t][atom->place];
        there &= value != kNoValue;
        hash = combine(hash, value);
      }
      out[count] = hash;
      which[count] = m;
      count += there;
    }
    return count;
  }

  const Templates& templates() const { return templates_; }
  const TokenColumns& sentences() const { return sentences_; }
  const GivenFlags& given() const { return given_; }

 private:
  struct Place {
    Id column, in_record;
  };
  // bias, first, last: of a token in the middle, the first, the last, and the only one.
  static constexpr Id place_in_record(AttributeKind kind) {
    return static_cast<Id>(kind) - static_cast<Id>(AttributeKind::bias);
  }
  inline static const std::uint64_t kThere = hash_value("");
  inline static const std::array<std::array<std::uint64_t, 3>, 4> kPositions = {
      {{kThere, kNoValue, kNoValue},
       {kThere, kThere, kNoValue},
       {kThere, kNoValue, kThere},
       {kThere, kThere, kThere}}};

  void check(const Attribute& attribute) const {
    if (attribute.of_position()) return;
    if (attribute.column < 0 || attribute.column >= sentences_.columns())
      throw std::invalid_argument("an attribute is of a column that is not there");
    if (attribute.length < 0) throw std::invalid_argument("an attribute has a negative length");
    if (attribute.kind == AttributeKind::kind && attribute.length >= std::ssize(kTokenKinds))
      throw std::invalid_argument("an attribute is of a kind of tokens that is not there");
    if (attribute.kind == AttributeKind::lexicon && attribute.lexicon == nullptr)
      throw std::invalid_argument("an attribute is of a lexicon that is not there");
    if (attribute.kind == AttributeKind::given &&
        (attribute.length >= std::ssize(given_) ||
         given_[attribute.length].size() != sentences_.column(attribute.column).values.size()))
      throw std::invalid_argument("there must be one flag for each distinct token");
  }

  const Templates& templates_;
  const TokenColumns& sentences_;
  GivenFlags given_;
  std::vector<Place> places_;          // of each attribute
  std::vector<ValueRecords> records_;  // of each column; positions have none
};

// The names of features by a token that has them and the template that gave them. What is computed
// of a word is kept for a while: one word has many features.
class FeatureNames {
 public:
  FeatureNames(const Templates& templates, const TokenColumns& sentences, const GivenFlags& given)
      : templates_(templates),
        sentences_(sentences),
        given_(given),
        views_(static_cast<std::size_t>(sentences.columns()) * kViews) {}

  // The name of the feature that template m gives for a token of the data.
  void append(Index m, Index token, std::string& out) {
    const Index sentence = sentences_.sentence_of(token);
    const Index begin = sentences_.offsets()[sentence], end = sentences_.offsets()[sentence + 1];
    const Template& each = templates_[m];
    for (std::size_t k = 0; k < each.atoms.size(); ++k) {
      out += each.literals[k];
      const Index at = token + each.atoms[k].offset;
      const Attribute& attribute = templates_.attributes()[each.atoms[k].attribute];
      if (at < begin) {
        out += boundary_mark(static_cast<Id>(at - begin));
      } else if (at >= end) {
        out += boundary_mark(static_cast<Id>(at - end + 1));
      } else if (!attribute.of_position()) {
        const Id code = sentences_.column(attribute.column).codes[at];
        const auto place = static_cast<std::size_t>(code);
        out += value_of(attribute, view(attribute.column, code), place, given_).value_or("");
      }
    }
    out += each.literals.back();
  }

 private:
  static constexpr std::size_t kViews = 32;
  struct Kept {
    Id code = -1;
    TokenView view{};
  };

  TokenView& view(Id column, Id code) {
    Kept& kept =
        views_[static_cast<std::size_t>(column) * kViews + static_cast<std::size_t>(code) % kViews];
    if (kept.code != code) {
      kept.view.assign(sentences_.column(column).values[static_cast<std::size_t>(code)]);
      kept.code = code;
    }
    return kept.view;
  }

  const Templates& templates_;
  const TokenColumns& sentences_;
  const GivenFlags& given_;
  std::vector<Kept> views_;  // by column, and by the last digits of a token's code
};

}  // namespace linnet
