// What a tagger reads: sentences whose tokens are sparse rows. The rows are there, or they are made
// of templates as they are needed, some sentences at a time, and never leave the cache.
#pragma once
#include "linnet/features/label_weights.hpp"
#include "linnet/features/rows.hpp"
#include "linnet/sentences/template_rows.hpp"

namespace linnet {

class TokenInput {
 public:
  // Room for the rows of a few sentences; one per thread.
  struct Room {
    TokenRows rows;
    TokenHashes hashes;
    RowSums sums;
    RowBuffer buffer;
    EntryRows entries() const {
      return {rows.starts.data(), rows.ids.data(), rows.values.data(),
              static_cast<Index>(rows.ids.size())};
    }
  };

  virtual ~TokenInput() = default;
  virtual std::span<const Index> offsets() const = 0;
  virtual Index features() const = 0;
  virtual float bias() const = 0;
  // The rows of sentences [from, to).
  virtual void read(Index from, Index to, Room& room) const = 0;

  Index sentences() const { return static_cast<Index>(offsets().size()) - 1; }
  Index tokens() const { return offsets().back(); }
};

// Copies rows [from, to), which thereby are of one type.
inline void copy_rows(const Rows& rows, Index from, Index to, TokenInput::Room& room) {
  room.rows.clear();
  for (Index t = from; t < to; ++t) {
    const Row row = rows.row(t, room.buffer);
    const auto size = static_cast<std::size_t>(row.size);
    room.rows.ids.append({row.index, size});
    room.rows.values.append({row.value, size});
    room.rows.starts.push_back(static_cast<Index>(room.rows.ids.size()));
  }
}

class RowsInput final : public TokenInput {
 public:
  // The caller keeps both alive.
  RowsInput(const Rows& rows, std::span<const Index> offsets) : rows_(rows), offsets_(offsets) {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows.size() ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      throw std::invalid_argument("offsets must run from 0 to the number of tokens");
  }
  std::span<const Index> offsets() const override { return offsets_; }
  Index features() const override { return rows_.features(); }
  float bias() const override { return rows_.bias(); }
  void read(Index from, Index to, Room& room) const override {
    copy_rows(rows_, offsets_[from], offsets_[to], room);
  }

 private:
  const Rows& rows_;
  std::span<const Index> offsets_;
};

class TemplateInput : public TokenInput {
 public:
  // The caller keeps all of them alive.
  TemplateInput(const Templates& templates, const TokenColumns& sentences, GivenFlags given,
                OwnAttributes own, const Numbering& numbering, float bias, int threads)
      : hashes_(templates, sentences, std::move(given), threads),
        own_(std::move(own)),
        numbering_(numbering),
        bias_(bias) {}
  std::span<const Index> offsets() const override { return hashes_.sentences().offsets(); }
  Index features() const override { return features_of(numbering_); }
  float bias() const override { return bias_; }
  void read(Index from, Index to, Room& room) const override {
    read_known(hashes_, own_, numbering_, from, to, room.hashes, room.sums, room.rows);
  }

 private:
  TemplateHashes hashes_;
  OwnAttributes own_;
  const Numbering& numbering_;
  float bias_;
};

}  // namespace linnet
