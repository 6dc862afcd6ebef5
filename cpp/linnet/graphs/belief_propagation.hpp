// Belief propagation on a factor graph of any shape: messages from factors to variables until they
// stay as they are (Pearl 1988; Kschischang, Frey and Loeliger 2001). Exact on trees; on graphs
// with cycles an approximation that need not converge. Messages are shares of one, or, for best
// values, divided by their largest.
#pragma once
#include <queue>

#include "linnet/base/interrupt.hpp"
#include "linnet/graphs/scopes.hpp"
#include "linnet/graphs/tables.hpp"

namespace linnet {

enum class Schedule { flooding, sequential, residual };

struct PropagationResult {
  bool settled = false;  // no message moved by more than the tolerance
  Index rounds = 0;      // as many messages as there are, sent so often
  double change = kInf;  // the largest of the last round
};

class BeliefPropagation {
 public:
  // entries: the tables of all factors, not negative, from starts[f] on. The caller keeps all of
  // them alive.
  BeliefPropagation(const Scopes& scopes, std::span<const Index> starts,
                    std::span<const double> entries, bool maximise)
      : scopes_(scopes), starts_(starts), entries_(entries), maximise_(maximise) {
    // A message for each member of each factor; those of a variable in order.
    Index next = 0;
    for (Id v : scopes.members) begins_.push_back(next), next += scopes.sizes[v];
    messages_.resize(static_cast<std::size_t>(next));
    into_starts_.assign(scopes.sizes.size() + 1, 0);
    for (Id v : scopes.members) ++into_starts_[v + 1];
    for (std::size_t v = 0; v < scopes.sizes.size(); ++v) into_starts_[v + 1] += into_starts_[v];
    into_.resize(scopes.members.size());
    owner_.resize(scopes.members.size());
    std::vector<Index> place(into_starts_.begin(), into_starts_.end() - 1);
    for (Index f = 0; f < scopes.factors(); ++f)
      for (Index m = scopes.starts[f]; m < scopes.starts[f + 1]; ++m) {
        owner_[m] = f;
        into_[place[scopes.members[m]]++] = m;
      }
    for (std::size_t m = 0; m < scopes.members.size(); ++m)
      std::fill_n(messages_.begin() + begins_[m], scopes.sizes[scopes.members[m]],
                  maximise_ ? 1.0 : 1.0 / scopes.sizes[scopes.members[m]]);
  }

  // damping: how much of the old message is kept, 0 ≤ damping < 1.
  PropagationResult run(Schedule schedule, Index max_rounds, double tolerance, double damping) {
    if (!(damping >= 0 && damping < 1))
      throw std::invalid_argument("damping must be 0 or more and less than 1");
    if (schedule == Schedule::residual) return residual(max_rounds, tolerance, damping);
    PropagationResult result;
    fresh_.resize(messages_.size());
    while (result.rounds < max_rounds && !result.settled) {
      result.change = 0;
      ++result.rounds;
      for (std::size_t m = 0; m < owner_.size(); ++m) {
        compute(static_cast<Index>(m), damping, std::span<double>(fresh_).data() + begins_[m]);
        if (schedule == Schedule::sequential)
          result.change = std::max(result.change, commit(static_cast<Index>(m)));
      }
      if (schedule == Schedule::flooding)
        for (std::size_t m = 0; m < owner_.size(); ++m)
          result.change = std::max(result.change, commit(static_cast<Index>(m)));
      result.settled = result.change <= tolerance;
    }
    return result;
  }

  // What is believed of a variable; shares of one, or divided by the largest.
  void variable(Id v, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 1.0);
    for (Index k = into_starts_[v]; k < into_starts_[v + 1]; ++k) take(into_[k], out);
    share(out);
  }
  // What is believed of the entries of a factor.
  void factor(Index f, std::span<double> out) const {
    std::copy_n(entries_.begin() + starts_[f], out.size(), out.begin());
    std::vector<double> others;
    Index stride = 1;
    for (Index m = scopes_.starts[f + 1]; m-- > scopes_.starts[f];) {
      const Id size = scopes_.sizes[scopes_.members[m]];
      outgoing(m, others);
      for (std::size_t x = 0; x < out.size(); ++x)
        out[x] *= others[static_cast<std::size_t>(static_cast<Index>(x) / stride % size)];
      stride *= size;
    }
    share(out);
  }
  // Bethe's approximation of log Z, of messages that are sums.
  double bethe() const {
    double value = 0;
    std::vector<double> belief;
    for (Index f = 0; f < scopes_.factors(); ++f) {
      belief.resize(static_cast<std::size_t>(scopes_.entries(f)));
      factor(f, belief);
      for (std::size_t x = 0; x < belief.size(); ++x)
        if (belief[x] > 0)
          value += belief[x] *
                   (std::log(entries_[starts_[f] + static_cast<Index>(x)]) - std::log(belief[x]));
    }
    for (Id v = 0; v < scopes_.variables(); ++v) {
      belief.resize(static_cast<std::size_t>(scopes_.sizes[v]));
      variable(v, belief);
      const auto degree = static_cast<double>(into_starts_[v + 1] - into_starts_[v]);
      for (double b : belief)
        if (b > 0) value += (degree - 1) * b * std::log(b);
    }
    return value;
  }

 private:
  void take(Index m, std::span<double> out) const {
    const double* message = messages_.data() + begins_[m];
    double most = 0;
    for (std::size_t i = 0; i < out.size(); ++i) most = std::max(most, out[i] *= message[i]);
    if (most > 0 && most < 1e-100)
      for (double& x : out) x /= most;
  }
  // What the variable of member m tells the factor: the product of what other factors told it.
  void outgoing(Index m, std::vector<double>& out) const {
    const Id v = scopes_.members[m];
    out.assign(static_cast<std::size_t>(scopes_.sizes[v]), 1.0);
    for (Index k = into_starts_[v]; k < into_starts_[v + 1]; ++k)
      if (into_[k] != m) take(into_[k], out);
  }
  void share(std::span<double> out) const {
    double total = 0;
    for (double x : out) total = maximise_ ? std::max(total, x) : total + x;
    if (!(total > 0))
      throw std::invalid_argument(
          "the messages contradict each other: no assignment is possible, or the probabilities are "
          "beyond the range of numbers");
    for (double& x : out) x /= total;
  }
  // The message to member m, damped, into `out`.
  void compute(Index m, double damping, double* out) {
    const Index f = owner_[m], begin = scopes_.starts[f], count = scopes_.starts[f + 1] - begin;
    const Id size = scopes_.sizes[scopes_.members[m]];
    const double* table = entries_.data() + starts_[f];
    std::span<double> result(out, static_cast<std::size_t>(size));
    if (count == 1) {
      std::copy_n(table, size, out);
    } else if (count == 2) {
      const bool first = m == begin;
      const Index other = first ? begin + 1 : begin;
      const Id width = scopes_.sizes[scopes_.members[other]];
      outgoing(other, incoming_);
      for (Id i = 0; i < size; ++i) {
        double sum = 0;
        for (Id j = 0; j < width; ++j) {
          const double x =
              (first ? table[Index{i} * width + j] : table[Index{j} * size + i]) * incoming_[j];
          sum = maximise_ ? std::max(sum, x) : sum + x;
        }
        out[i] = sum;
      }
    } else {
      product_.assign(table, table + scopes_.entries(f));
      Index stride = 1, mine = 1;
      for (Index k = begin + count; k-- > begin;) {
        const Id width = scopes_.sizes[scopes_.members[k]];
        if (k == m) {
          mine = stride;
        } else {
          outgoing(k, incoming_);
          for (std::size_t x = 0; x < product_.size(); ++x)
            product_[x] *=
                incoming_[static_cast<std::size_t>(static_cast<Index>(x) / stride % width)];
        }
        stride *= width;
      }
      std::fill(result.begin(), result.end(), 0.0);
      for (std::size_t x = 0; x < product_.size(); ++x) {
        double& to = out[static_cast<Index>(x) / mine % size];
        to = maximise_ ? std::max(to, product_[x]) : to + product_[x];
      }
    }
    steps_(8 * scopes_.entries(f) * count);
    share(result);
    if (damping == 0) return;
    const double* old = messages_.data() + begins_[m];
    for (Id i = 0; i < size; ++i) out[i] = (1 - damping) * out[i] + damping * old[i];
  }
  // The largest change of a message that was computed, and the message itself.
  double change(Index m) const {
    double most = 0;
    for (Index i = begins_[m]; i < begins_[m] + scopes_.sizes[scopes_.members[m]]; ++i)
      most = std::max(most, std::abs(fresh_[i] - messages_[i]));
    return most;
  }
  double commit(Index m) {
    const double most = change(m);
    std::copy_n(fresh_.begin() + begins_[m], scopes_.sizes[scopes_.members[m]],
                messages_.begin() + begins_[m]);
    return most;
  }
  // The message that would change most is sent first (Elidan, McGraw and Koller 2006).
  PropagationResult residual(Index max_rounds, double tolerance, double damping) {
    fresh_.resize(messages_.size());
    const auto count = static_cast<Index>(owner_.size());
    std::vector<double> waiting(owner_.size());
    std::priority_queue<std::pair<double, Index>> queue;
    const auto look = [&](Index m) {
      compute(m, damping, fresh_.data() + begins_[m]);
      waiting[m] = change(m);
      if (waiting[m] > tolerance) queue.emplace(waiting[m], -m);
    };
    for (Index m = 0; m < count; ++m) look(m);
    PropagationResult result;
    Index sent = 0;
    while (!queue.empty() && sent < max_rounds * count) {
      const auto [size, key] = queue.top();
      queue.pop();
      const Index m = -key;
      if (size != waiting[m]) continue;
      waiting[m] = 0;
      commit(m);
      ++sent;
      if (damping > 0) look(m);  // what was kept of the old one is still to be moved
      const Id v = scopes_.members[m];
      for (Index k = into_starts_[v]; k < into_starts_[v + 1]; ++k) {
        const Index f = owner_[into_[k]];
        if (f == owner_[m]) continue;
        for (Index o = scopes_.starts[f]; o < scopes_.starts[f + 1]; ++o)
          if (o != into_[k]) look(o);
      }
    }
    result.rounds = (sent + count - 1) / std::max<Index>(count, 1);
    result.change = 0;
    for (double w : waiting) result.change = std::max(result.change, w);
    result.settled = result.change <= tolerance;
    return result;
  }

  const Scopes& scopes_;
  std::span<const Index> starts_;
  std::span<const double> entries_;
  bool maximise_;
  std::vector<Index> begins_, owner_;      // of messages; the factor of each
  std::vector<Index> into_starts_, into_;  // messages that a variable gets
  std::vector<double> messages_, fresh_, incoming_, product_;
  Steps steps_;
};

}  // namespace linnet
