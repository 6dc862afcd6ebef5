// Sentences whose tokens are hashed for templates of arcs.
#pragma once
#include "linnet/arcs/arc_templates.hpp"

namespace linnet {

// The hash of every attribute of every distinct token of some sentences.
class ArcTokens {
 public:
  ArcTokens(const ArcTemplates& templates, const TokenColumns& sentences, int threads)
      : templates_(templates), sentences_(sentences) {
    const auto attributes = templates.attributes();
    for (const ArcAttribute& each : attributes)
      if (each.token.column < 0 || each.token.column >= sentences.columns())
        throw std::invalid_argument("a template looks at a column that is not there");
    values_.resize(attributes.size());
    parallel_for(std::ssize(attributes), threads,
                 [&](Index a) { hash_all(attributes[a], values_[static_cast<std::size_t>(a)]); });
  }

  const ArcTemplates& templates() const { return templates_; }
  const TokenColumns& sentences() const { return sentences_; }
  std::uint64_t value(std::size_t attribute, Index token) const {
    const Id code = sentences_.column(templates_.attributes()[attribute].token.column).codes[token];
    return code < 0 ? kNone : values_[attribute][static_cast<std::size_t>(code)];
  }
  std::string text(std::size_t attribute, Index token) const {
    const ArcAttribute& which = templates_.attributes()[attribute];
    const TokenColumn& column = sentences_.column(which.token.column);
    const Id code = column.codes[token];
    if (code < 0) return "_";
    TokenView view(column.values[static_cast<std::size_t>(code)]);
    return std::string(value_in(which, view).value_or("_"));
  }
  // Whoever has no value has this one.
  static constexpr std::uint64_t kNone = 1;

 private:
  void hash_all(const ArcAttribute& attribute, std::vector<std::uint64_t>& values) const {
    TokenView token;
    for (std::string_view each : sentences_.column(attribute.token.column).values) {
      token.assign(each);
      const TokenValue value = value_in(attribute, token);
      values.push_back(value ? hash_value(*value) : kNone);
    }
  }
  static TokenValue value_in(const ArcAttribute& attribute, TokenView& token) {
    return attribute.key.empty() ? value_of(attribute.token, token, 0, {})
                                 : value_of_key(token.token(), attribute.key);
  }
  static TokenValue value_of_key(std::string_view features, std::string_view key) {
    while (!features.empty()) {
      const std::string_view one = features.substr(0, features.find('|'));
      if (one.size() > key.size() && one.starts_with(key) && one[key.size()] == '=')
        return one.substr(key.size() + 1);
      features.remove_prefix(std::min(features.size(), one.size() + 1));
    }
    return std::nullopt;
  }

  const ArcTemplates& templates_;
  const TokenColumns& sentences_;
  std::vector<std::vector<std::uint64_t>> values_;  // attribute, distinct token
};

}  // namespace linnet
