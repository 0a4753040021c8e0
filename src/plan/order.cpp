#include "plan/order.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tributary::plan {
namespace {

int server_of(const Domain& domain, std::int64_t block, const Layout& layout) {
  return layout.server_of(domain.anchor + block * domain.stride);
}

// After how many blocks the servers of a domain repeat.
std::int64_t period_of(const Domain& domain, const Layout& layout) {
  const std::int64_t step = domain.stride / layout.stripe_bytes % layout.servers();
  return layout.servers() / std::gcd<std::int64_t>(step, layout.servers());
}

// The servers of each class, the slowest class first.
std::vector<std::vector<int>> servers_by_class(const Layout& layout) {
  std::vector<int> classes(std::max<std::size_t>(layout.classes.size(), 1));
  std::iota(classes.begin(), classes.end(), 0);
  std::ranges::stable_sort(classes, [&](int a, int b) {
    return layout.classes[static_cast<std::size_t>(a)].cost >
           layout.classes[static_cast<std::size_t>(b)].cost;
  });
  std::vector<std::vector<int>> servers;
  for (const int one : classes) {
    servers.emplace_back();
    for (int server = 0; server < layout.servers(); ++server)
      if (layout.class_of(server) == one) servers.back().push_back(server);
  }
  return servers;
}

}  // namespace

std::string_view name_of(RequestOrder order) {
  constexpr std::array<std::string_view, 3> kNames{"logical", "concurrency", "heterogeneity"};
  return kNames[static_cast<std::size_t>(order)];
}

BlockOrder::BlockOrder(RequestOrder order, const Domain& domain, int aggregator,
                       const Layout& layout)
    : runs_{{0, 1, domain.blocks}} {
  const bool by_server = layout.striped() && domain.stride % layout.stripe_bytes == 0;
  if (domain.blocks < 2 || !by_server) return;
  if (order == RequestOrder::concurrency) rotate(domain, aggregator, layout);
  if (order == RequestOrder::heterogeneity) group(domain, aggregator, layout);
}

void BlockOrder::rotate(const Domain& domain, int aggregator, const Layout& layout) {
  const int wanted = aggregator % layout.servers();
  const std::int64_t look = std::min(domain.blocks, period_of(domain, layout));
  for (std::int64_t first = 1; first < look; ++first) {
    if (server_of(domain, first, layout) != wanted) continue;
    runs_ = {{first, 1, domain.blocks - first}, {0, 1, first}};
    return;
  }
}

void BlockOrder::group(const Domain& domain, int aggregator, const Layout& layout) {
  const std::int64_t period = period_of(domain, layout);
  std::vector<std::int64_t> first_on(static_cast<std::size_t>(layout.servers()), -1);
  for (std::int64_t block = std::min(domain.blocks, period) - 1; block >= 0; --block)
    first_on[static_cast<std::size_t>(server_of(domain, block, layout))] = block;
  runs_.clear();
  for (const std::vector<int>& servers : servers_by_class(layout)) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const int server = servers[(static_cast<std::size_t>(aggregator) + i) % servers.size()];
      const std::int64_t first = first_on[static_cast<std::size_t>(server)];
      if (first >= 0) runs_.push_back({first, period, (domain.blocks - first - 1) / period + 1});
    }
  }
}

std::int64_t BlockOrder::at(std::int64_t n) const {
  for (const Run& run : runs_) {
    if (n < run.count) return run.first + n * run.step;
    n -= run.count;
  }
  return 0;  // not reached: n is below the number of blocks
}

}  // namespace tributary::plan
