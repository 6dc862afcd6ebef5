// A junction tree as a dynamic program, so that whatever is written for hyperedges (k-best lists,
// Hessian-vector products, both rings) holds for any factor graph too. A node is a clique and the
// values of its separator, an edge the values of the rest; parts are the entries of factors.
//
// Edges have at most two tails: the messages of more children are joined one after the other, at
// nodes of their own for each entry of the clique.
#pragma once
#include "linnet/graphs/junction_tree.hpp"
#include "linnet/graphs/variable_costs.hpp"

namespace linnet {

// A graph with its tree: what oracles of the same shape share.
struct GraphShape {
  GraphShape(Scopes made, std::vector<Id> seen, double limit)
      : scopes((made.check(), std::move(made))),
        observed(std::move(seen)),
        tree(scopes, observed, limit) {
    starts.push_back(0);
    for (Index f = 0; f < scopes.factors(); ++f)
      starts.push_back(starts.back() + scopes.entries(f));
    if (starts.back() > std::numeric_limits<Id>::max())
      throw std::invalid_argument("the factors have more than 2^31 entries");
  }
  Scopes scopes;
  std::vector<Id> observed;  // -1: not; empty: none are
  JunctionTree tree;
  std::vector<Index> starts;  // of the entries of each factor
};

class JunctionSweep {
 public:
  explicit JunctionSweep(std::shared_ptr<const GraphShape> shape) : shape_(std::move(shape)) {
    const JunctionTree& tree = shape_->tree;
    const Scopes& scopes = shape_->scopes;
    const auto count = static_cast<Id>(tree.cliques().size());
    rooms_.resize(static_cast<std::size_t>(count) + 1);  // the last joins the roots
    Index next = 0;
    for (Id c = 0; c < count; ++c) {
      const Clique& clique = tree.clique(c);
      Room& room = rooms_[c];
      for (Id v : clique.scope) room.sizes.push_back(scopes.sizes[v]);
      room.entries = clique.entries;
      room.block = clique.entries / clique.messages;
      for (Index f : clique.factors) room.parts.push_back(lines(room, clique.scope, f));
      const Id parent = clique.parent < 0 ? count : clique.parent;
      rooms_[parent].children.push_back(c);
    }
    Room& top = rooms_.back();
    for (Index f = 0; f < scopes.factors(); ++f)
      if (tree.home(f) < 0) top.parts.push_back({shape_->starts[f] + tree.walk(f).offset, {}});
    for (Id c = 0; c <= count; ++c) {
      Room& room = rooms_[c];
      const auto children = static_cast<Index>(room.children.size());
      room.joined = next;
      next += std::max<Index>(children - 2, 0) * room.entries;
      room.first = next;
      next += room.entries / room.block;
      for (Id child : room.children)
        room.tails.push_back(c == count ? Line{rooms_[child].first, {}} : tail(c, child));
      firsts_.push_back(room.joined);
      if (next > std::numeric_limits<Id>::max())
        throw std::invalid_argument("the tables of the graph have more than 2^31 entries");
    }
    nodes_ = static_cast<Id>(next);
  }

  const GraphShape& shape() const { return *shape_; }
  Id num_nodes() const { return nodes_; }
  Id num_parts() const { return static_cast<Id>(shape_->starts.back()); }
  Id root() const { return nodes_ - 1; }

  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, nodes_, [&](Id node) { visit(node, [&](auto&& edge) { edges(node, edge); }); });
  }
  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    const auto c = std::upper_bound(firsts_.begin(), firsts_.end(), node) - firsts_.begin() - 1;
    // Cliques whose nodes are none begin where the next one does.
    const Room& room = rooms_[static_cast<std::size_t>(c)];
    const auto children = static_cast<Index>(room.children.size());
    std::vector<Id> digits(room.sizes.size());
    if (node < room.first) {  // joins messages
      const Index level = (node - room.joined) / room.entries,
                  x = (node - room.joined) % room.entries;
      split(room, x, digits);
      const Id second =
          level == 0 ? at(room.tails[1], digits) : static_cast<Id>(node - room.entries);
      return edge(std::span<const Id>(),
                  ids(at(room.tails[level == 0 ? 0 : level + 1], digits), second));
    }
    std::vector<Id> parts(room.parts.size());
    const Index begin = (node - room.first) * room.block;
    for (Index x = begin; x < begin + room.block; ++x) {
      split(room, x, digits);
      for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = at(room.parts[k], digits);
      if (children == 0)
        edge(parts, std::span<const Id>());
      else if (children == 1)
        edge(parts, ids(at(room.tails[0], digits)));
      else if (children == 2)
        edge(parts, ids(at(room.tails[0], digits), at(room.tails[1], digits)));
      else
        edge(parts, ids(at(room.tails[children - 1], digits),
                        room.joined + (children - 3) * room.entries + x));
    }
  }
  // Every assignment has one entry of each factor.
  template <class F>
  void shifts(F&& f) const {
    for (Index k = 0; k < shape_->scopes.factors(); ++k)
      f(static_cast<Id>(shape_->starts[k]), static_cast<Id>(shape_->starts[k + 1]), 1);
  }
  void add_cost(PartCounts gold, double scale, std::span<double> theta) const {
    add_hamming_of_variables(shape_->scopes, shape_->observed, shape_->starts, gold, scale, theta);
  }

 private:
  // A number that moves with the values of a clique's variables.
  struct Line {
    Index start;
    std::vector<Index> strides;
  };
  struct Room {
    std::vector<Id> sizes, children;
    std::vector<Line> parts, tails;
    Index entries = 1, block = 1, joined = 0, first = 0;
  };
  Line lines(const Room& room, std::span<const Id> scope, Index f) const {
    Line line{shape_->starts[f], std::vector<Index>(room.sizes.size(), 0)};
    const auto members = shape_->scopes.of(f);
    Index stride = 1;
    for (std::size_t k = members.size(); k-- > 0; stride *= shape_->scopes.sizes[members[k]]) {
      const Id v = members[k];
      if (!shape_->observed.empty() && shape_->observed[v] >= 0)
        line.start += stride * shape_->observed[v];
      else
        line.strides[static_cast<std::size_t>(std::find(scope.begin(), scope.end(), v) -
                                              scope.begin())] = stride;
    }
    return line;
  }
  Line tail(Id parent, Id child) const {
    const Clique &over = shape_->tree.clique(parent), &below = shape_->tree.clique(child);
    Line line{rooms_[child].first, std::vector<Index>(over.scope.size(), 0)};
    Index stride = 1;
    for (Id k = below.shared; k-- > 0; stride *= shape_->scopes.sizes[below.scope[k]])
      line.strides[static_cast<std::size_t>(
          std::find(over.scope.begin(), over.scope.end(), below.scope[k]) - over.scope.begin())] =
          stride;
    return line;
  }
  static void split(const Room& room, Index x, std::vector<Id>& digits) {
    for (std::size_t d = digits.size(); d-- > 0; x /= room.sizes[d])
      digits[d] = static_cast<Id>(x % room.sizes[d]);
  }
  static Id at(const Line& line, const std::vector<Id>& digits) {
    Index place = line.start;
    for (std::size_t d = 0; d < line.strides.size(); ++d) place += line.strides[d] * digits[d];
    return static_cast<Id>(place);
  }

  std::shared_ptr<const GraphShape> shape_;
  std::vector<Room> rooms_;
  std::vector<Index> firsts_;  // the first node of each
  Id nodes_ = 0;
};

}  // namespace linnet
