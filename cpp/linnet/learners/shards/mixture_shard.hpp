// A shard of a structural SVM, of any structure that finds its best output: block-coordinate
// Frank–Wolfe (dual/frank_wolfe.hpp) with steps that others take at the same time. The dual point
// of an instance is the mixture of outputs that it holds, written down as numbers:
//
//   how many outputs, then of each: its share α, its cost, how many parts, these parts.
#pragma once
#include "linnet/learners/dual/mixture_steps.hpp"
#include "linnet/learners/shards/shard_dual.hpp"

namespace linnet {

class MixtureShard final : public ShardDual {
 public:
  MixtureShard(const Dataset& data, OutputCost cost, double scale)
      : data_(data), start_(data, 1), costly_(cost, scale, data.listed()) {
    if (data.partial())
      throw std::invalid_argument("with missing labels the loss is not convex and has no dual");
    if (start_.hard()) throw std::invalid_argument("costs must be finite and not negative");
    for (Index i = 0; i < data.size(); ++i) {
      parts_.push_back(data.read(i, buffer_).oracle->parts());
      if (start_[i].weight > 0) order_.push_back(i);
    }
  }

  Index dim() const override { return data_.dim(); }
  void check(std::span<const double> alpha) const override { read(alpha); }
  Point start() const override {
    std::vector<Mixture> gold;
    for (Index i = 0; i < data_.size(); ++i) gold.push_back(start_[i]);
    return written(gold);
  }
  Sums value(std::span<const double> w, std::span<const double> alpha) override {
    std::vector<Mixture> mixtures = read(alpha);
    MixtureSteps steps(costly_, 1);
    Sums sums;
    StopCheck stop;
    for (Index i : order_) {
      if (stop()) throw Interrupted();
      const Instance x = data_.read(i, steps.buffer());
      steps.find_scores(x, x.sites, w.data());
      steps.ask(x, mixtures[i]);
      sums.loss += mixtures[i].loss;
      for (const HeldOutput& held : mixtures[i].held)
        sums.dual += x.weight * held.alpha * held.cost;
    }
    return sums;
  }
  void weights(std::span<const double> alpha, std::span<double> sum) override {
    const std::vector<Mixture> mixtures = read(alpha);
    std::fill(sum.begin(), sum.end(), 0.0);
    for (Index i : order_) {
      const Instance x = data_.read(i, buffer_);
      buffer_.delta.assign(static_cast<std::size_t>(parts_[i]), 0.0);
      const std::vector<HeldOutput>& held = mixtures[i].held;
      for (std::size_t k = 1; k < held.size(); ++k) {
        for (Id p : held[0].parts) buffer_.delta[p] += held[k].alpha;
        for (Id p : held[k].parts) buffer_.delta[p] -= held[k].alpha;
      }
      scatter(x.sites, buffer_.delta, x.weight, sum.data(), buffer_.site);
    }
  }
  Point steps(std::span<const double> w, std::span<const double> alpha, double sigma, int passes,
              std::uint64_t seed) override {
    std::vector<Mixture> mixtures = read(alpha);
    Buffer<double> v(w.begin(), w.end());  // w, and σ times what the shard has moved it
    MixtureSteps steps(costly_, 1, sigma);
    walk(order_, passes, seed,
         [&](Index i) { steps.visit(data_.read(i, steps.buffer()), mixtures[i], v.data()); });
    return written(mixtures);
  }

 private:
  static Point written(const std::vector<Mixture>& mixtures) {
    Point found;
    for (const Mixture& mixture : mixtures) {
      found.push_back(static_cast<double>(mixture.held.size()));
      for (const HeldOutput& held : mixture.held) {
        found.insert(found.end(), {held.alpha, held.cost, static_cast<double>(held.parts.size())});
        found.insert(found.end(), held.parts.begin(), held.parts.end());
      }
    }
    return found;
  }
  std::vector<Mixture> read(std::span<const double> alpha) const {
    std::size_t at = 0;
    const auto next = [&] {
      require(at < alpha.size());
      return alpha[at++];
    };
    const auto whole = [&](double most) {
      const double number = next();
      require(number >= 0 && number <= most && number == std::floor(number));
      return static_cast<Id>(number);
    };
    std::vector<Mixture> mixtures;
    for (Index i = 0; i < data_.size(); ++i) {
      Mixture mixture = start_[i];
      mixture.held.clear();
      for (Id outputs = whole(static_cast<double>(alpha.size())); outputs > 0; --outputs) {
        HeldOutput held;
        held.alpha = next();
        held.cost = next();
        for (Id parts = whole(static_cast<double>(alpha.size())); parts > 0; --parts)
          held.parts.push_back(whole(static_cast<double>(parts_[i] - 1)));
        mixture.held.push_back(std::move(held));
      }
      require(!mixture.held.empty() && mixture.held[0].parts == start_[i].held[0].parts);
      mixtures.push_back(std::move(mixture));
    }
    require(at == alpha.size());
    return mixtures;
  }

  const Dataset& data_;
  OutputMixtures start_;  // the gold outputs alone
  CostlyOutput costly_;
  std::vector<Id> parts_;  // of the instances
  std::vector<Index> order_;
  InstanceBuffer buffer_;
};

}  // namespace linnet
