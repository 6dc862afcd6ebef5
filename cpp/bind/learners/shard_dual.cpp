#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind/bind.hpp"
#include "linnet/learners/shards/flat_shards.hpp"
#include "linnet/learners/shards/marginal_shard.hpp"
#include "linnet/learners/shards/mixture_shard.hpp"

namespace linnet::bind {
namespace {

std::unique_ptr<ShardDual> shard_of(const Rows& rows, std::span<const Id> labels,
                                    std::span<const double> costs, Id width,
                                    const std::string& name) {
  const auto loss = named<DualLoss>("loss", name,
                                    {{"hinge", DualLoss::hinge},
                                     {"squared_hinge", DualLoss::squared_hinge},
                                     {"logistic", DualLoss::logistic}});
  if (width == 1)
    return with_loss(loss, [&]<class Loss>(Loss) -> std::unique_ptr<ShardDual> {
      return std::make_unique<BinaryShard<Loss>>(rows, labels, costs);
    });
  if (loss == DualLoss::hinge)
    return std::make_unique<JointShard<CrammerSingerBlock<double>>>(rows, labels, costs, width);
  if (loss == DualLoss::logistic)
    return std::make_unique<JointShard<MaxEntBlock<double>>>(rows, labels, costs, width);
  throw std::invalid_argument("several labels have no squared hinge in the dual");
}

void check(const ShardDual& shard, Array<const double> w, Array<const double> alpha) {
  if (static_cast<Index>(w.shape(0)) != shard.dim())
    throw std::invalid_argument("weights are not those of this shard");
  shard.check(view(alpha));
}

}  // namespace

void shard_dual(nb::module_& m) {
  nb::class_<ShardDual>(m, "ShardDual", "Dual steps of one shard of the data (CoCoA+).")
      .def_static(
          "of",
          [](const Rows& rows, Array<const Id> labels, Array<const double> costs, Id width,
             const std::string& loss) {
            return shard_of(rows, view(labels), view(costs), width, loss);
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("costs"), nb::arg("width"), nb::arg("loss"),
          nb::keep_alive<0, 1>(), "Of rows with a label each; width 1: two labels.")
      .def_static(
          "marginals",
          [](const Dataset& data) -> std::unique_ptr<ShardDual> {
            return std::make_unique<MarginalShard>(data);
          },
          nb::arg("data"), nb::keep_alive<0, 1>(),
          "Of logistic loss, for structures with exact sums; the weights of instances are costs.")
      .def_static(
          "mixtures",
          [](const Dataset& data, const std::string& cost,
             double margin) -> std::unique_ptr<ShardDual> {
            using enum OutputCost;
            const OutputCost kind =
                named<OutputCost>("cost", cost, {{"parts", parts}, {"zero_one", zero_one}});
            return std::make_unique<MixtureShard>(data, kind,
                                                  with_margin(loss_named("hinge"), margin).cost);
          },
          nb::arg("data"), nb::arg("cost") = "parts", nb::arg("margin") = 1.0,
          nb::keep_alive<0, 1>(), "Of hinge loss, for any structure.")
      .def_prop_ro("dim", &ShardDual::dim)
      .def(
          "start", [](const ShardDual& shard) { return to_numpy<double>(shard.start()); },
          "The dual variables of weights 0.")
      .def(
          "check",
          [](const ShardDual& shard, Array<const double> alpha) { shard.check(view(alpha)); },
          nb::arg("alpha"), "Refuses dual variables of another shard.")
      .def(
          "value",
          [](ShardDual& shard, Array<const double> w, Array<const double> alpha) {
            check(shard, w, alpha);
            nb::gil_scoped_release nogil;
            const ShardDual::Sums sums = shard.value(view(w), view(alpha));
            return std::pair(sums.loss, sums.dual);
          },
          nb::arg("w"), nb::arg("alpha"),
          "The losses at w, and what the dual variables add to D beside −½‖w‖².")
      .def(
          "steps",
          [](ShardDual& shard, Array<const double> w, Array<const double> alpha, double sigma,
             int passes, std::uint64_t seed) {
            check(shard, w, alpha);
            std::vector<double> next, sum(w.shape(0));
            {
              nb::gil_scoped_release nogil;
              next = shard.steps(view(w), view(alpha), sigma, passes, seed);
              shard.weights(next, sum);
            }
            return nb::make_tuple(to_numpy<double>(std::move(next)),
                                  to_numpy<double>(std::move(sum)));
          },
          nb::arg("w"), nb::arg("alpha"), nb::arg("sigma"), nb::arg("passes"), nb::arg("seed"),
          "Some passes from w: the dual variables after them, and their weights.");
}

}  // namespace linnet::bind
