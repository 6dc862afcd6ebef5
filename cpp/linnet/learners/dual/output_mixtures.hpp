// A dual point of a structural SVM: for each instance a mixture of outputs, Σ_k α_k y_k, and the
// weights that go with all of them, w = Σ_i c_i Σ_k α_ik X_iᵀ(gold_i − y_k) / l2.
//
// Every wrong output that is held is a row d = Xᵀ(gold − y) of a margin programme that asks for
// w · d >= cost(y); its multiplier is c α / l2.
#pragma once
#include <numeric>

#include "linnet/learners/dual/costly_output.hpp"
#include "linnet/learners/dual/exact_margins.hpp"

namespace linnet {

struct HeldOutput {
  double alpha = 0, cost = 0;
  double before = 0;  // alpha when the last part was solved for
  Parts parts{};

  void state(Archive& a) {
    a(alpha, cost, before);
    a.list(parts);
  }
};
struct Mixture {
  std::vector<HeldOutput> held;  // the first is the right output
  double weight = 0;             // c, or l2 where it is infinite
  double gap = 0, loss = 0;      // as last seen, times c
  bool hard = false;             // c = ∞: the share of the right output may be negative

  void state(Archive& a) {
    a(gap, loss);
    a.list(held);
  }
};

class OutputMixtures {
 public:
  struct Row {
    Index instance;
    std::size_t output;
  };

  OutputMixtures(const Dataset& data, double l2)
      : data_(data), l2_(l2), weights_(static_cast<std::size_t>(data.dim())) {
    for (Index i = 0; i < data.size(); ++i) {
      const Instance x = data.read(i, buffer_);
      if (!(x.weight >= 0)) throw std::invalid_argument("weights must not be negative");
      const bool hard = x.weight == kInf;
      mixtures_.push_back({{{1, 0, 0, gold_parts(x)}}, hard ? l2 : x.weight, 0, 0, hard});
    }
  }

  Mixture& operator[](Index i) { return mixtures_[static_cast<std::size_t>(i)]; }
  const Mixture& operator[](Index i) const { return mixtures_[static_cast<std::size_t>(i)]; }
  Buffer<double>& weights() { return weights_; }
  const Buffer<double>& weights() const { return weights_; }

  void state(Archive& a) {
    a(mixtures_, weights_);
    if (!a.reading()) return;
    for (Index i = 0; i < data_.size(); ++i) {
      const Id parts = data_.read(i, buffer_).oracle->parts();
      Archive::require(!(*this)[i].held.empty(), "an instance holds no output");
      for (const HeldOutput& held : (*this)[i].held)
        for (Id p : held.parts) Archive::require(p >= 0 && p < parts, "there is no such part");
    }
  }

  bool hard() const {
    return std::any_of(mixtures_.begin(), mixtures_.end(), [](auto& m) { return m.hard; });
  }
  double total(double Mixture::* part) const {
    double sum = 0;
    for (const Mixture& m : mixtures_) sum += m.*part;
    return sum;
  }
  double half_norm() const {
    return l2_ / 2 * std::inner_product(weights_.begin(), weights_.end(), weights_.begin(), 0.0);
  }
  // D
  double value() const {
    double sum = -half_norm();
    for (const Mixture& m : mixtures_)
      for (const HeldOutput& held : m.held) sum += m.weight * held.alpha * held.cost;
    return sum;
  }
  // Instances that hold some mass on a wrong output.
  std::vector<Index> support() const {
    std::vector<Index> found;
    for (Index i = 0; i < data_.size(); ++i) {
      const auto& held = (*this)[i].held;
      if (std::any_of(held.begin() + 1, held.end(), [](auto& h) { return h.alpha > 0; }))
        found.push_back(i);
    }
    return found;
  }

  std::vector<Row> rows() const {
    std::vector<Row> rows;
    for (Index i = 0; i < data_.size(); ++i)
      for (std::size_t k = 1; k < (*this)[i].held.size(); ++k) rows.push_back({i, k});
    return rows;
  }
  // The rows that moved most since this was last asked.
  std::vector<Row> most_moved(std::size_t most) {
    const auto moved = [this](const Row& r) {
      const HeldOutput& held = output(r);
      return (*this)[r.instance].weight * std::abs(held.alpha - held.before);
    };
    std::vector<Row> rows = this->rows();
    std::erase_if(rows, [&](const Row& r) { return moved(r) == 0; });
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b) { return moved(a) > moved(b); });
    if (rows.size() > most) rows.resize(most);
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return std::pair(a.instance, a.output) < std::pair(b.instance, b.output);
    });
    for (Mixture& m : mixtures_)
      for (HeldOutput& held : m.held) held.before = held.alpha;
    return rows;
  }

  // These rows and nothing else.
  MarginProgramme programme(const std::vector<Row>& rows) {
    MarginProgramme programme;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const Mixture& m = (*this)[rows[j].instance];
      add_entries(rows[j], programme);
      programme.end_row(output(rows[j]).cost);
      if (j + 1 == rows.size() || rows[j + 1].instance != rows[j].instance)
        programme.end_group(m.hard ? kInf : m.weight / l2_);
    }
    return programme;
  }
  // Puts the best shares of these rows given all others in place of theirs, unless they are no
  // better; false if it was interrupted.
  bool improve(const std::vector<Row>& rows, MarginProgramme programme, double tol) {
    const double reached = value();
    std::vector<double> old;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      old.push_back(output(rows[j]).alpha);
      give(rows[j], programme, j, -old[j]);
    }
    // What all others leave to be asked for, and to be shared out.
    for (std::size_t j = 0; j < rows.size(); ++j) programme.bounds[j] -= margin_of(programme, j);
    for (std::size_t g = 0; g < programme.prices.size(); ++g) {
      const Mixture& m = (*this)[rows[programme.groups[g]].instance];
      if (!m.hard) programme.prices[g] *= std::max(m.held[0].alpha, 1e-12);
    }
    const MarginSolution solution = InteriorPoint(programme, tol, 0, Equations::by_rows).solve();
    share_out(rows, programme, solution);
    if (!(value() >= reached))
      for (std::size_t j = 0; j < rows.size(); ++j)
        give(rows[j], programme, j, old[j] - output(rows[j]).alpha);
    return !solution.interrupted;
  }

 private:
  HeldOutput& output(const Row& r) { return (*this)[r.instance].held[r.output]; }
  const HeldOutput& output(const Row& r) const { return (*this)[r.instance].held[r.output]; }

  void share_out(const std::vector<Row>& rows, const MarginProgramme& programme,
                 const MarginSolution& solution) {
    for (std::size_t g = 0; g < programme.prices.size(); ++g) {
      const std::size_t begin = programme.groups[g], end = programme.groups[g + 1];
      const Mixture& m = (*this)[rows[begin].instance];
      const double room = m.hard ? kInf : m.held[0].alpha, unit = l2_ / m.weight;
      double mass = 0;
      for (std::size_t j = begin; j < end; ++j)
        if (solution.tight(programme, g, j)) mass += solution.a[j] * unit;
      const bool full = !m.hard && mass > 0 && (mass > room || solution.full(programme, g));
      for (std::size_t j = begin; j < end; ++j)
        if (solution.tight(programme, g, j))
          give(rows[j], programme, j, solution.a[j] * unit * (full ? room / mass : 1));
    }
  }
  // Moves share from the right output to that of a row.
  void give(const Row& row, const MarginProgramme& programme, std::size_t j, double alpha) {
    Mixture& m = (*this)[row.instance];
    m.held[row.output].alpha += alpha;
    m.held[0].alpha -= alpha;
    const double scale = alpha * m.weight / l2_;
    for (std::size_t k = programme.starts[j]; k < programme.starts[j + 1]; ++k)
      weights_[programme.columns[k]] += scale * programme.values[k];
  }
  double margin_of(const MarginProgramme& programme, std::size_t j) const {
    double sum = 0;
    for (std::size_t k = programme.starts[j]; k < programme.starts[j + 1]; ++k)
      sum += programme.values[k] * weights_[programme.columns[k]];
    return sum;
  }
  // d, each column once.
  void add_entries(const Row& row, MarginProgramme& programme) {
    const Mixture& m = (*this)[row.instance];
    const Instance x = data_.read(row.instance, buffer_);
    buffer_.delta.assign(static_cast<std::size_t>(x.oracle->parts()), 0.0);
    for (Id p : m.held[0].parts) ++buffer_.delta[p];
    for (Id p : output(row).parts) --buffer_.delta[p];
    std::vector<std::pair<Index, double>> entries;
    for_each_weight_row(x.sites, buffer_.delta, buffer_.site,
                        [&](Index offset, double value, const double* d, const Group& g) {
                          for (Id y = 0; y < g.width; ++y)
                            if (d[y] != 0) entries.emplace_back(offset + y, value * d[y]);
                        });
    std::sort(entries.begin(), entries.end());
    for (std::size_t k = 0; k < entries.size();) {
      const Index column = entries[k].first;
      double sum = 0;
      for (; k < entries.size() && entries[k].first == column; ++k) sum += entries[k].second;
      if (sum != 0) programme.add(column, sum);
    }
  }

  const Dataset& data_;
  double l2_;
  std::vector<Mixture> mixtures_;
  Buffer<double> weights_;
  InstanceBuffer buffer_;
};

}  // namespace linnet
