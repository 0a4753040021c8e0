// The plan as text for a terminal: choices with their reasons, who aggregates what, the requests
// and costs of the first cycles, and a picture of the schedule.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "plan/describe.hpp"
#include "plan/describe_parts.hpp"
#include "plan/describe_table.hpp"

namespace tributary::plan {
namespace {

constexpr std::size_t kRequestLines = 16;
constexpr std::size_t kTimelineSteps = 64;

std::string range_text(const Extent& extent) {
  std::string text = "[";
  text += exact_bytes(extent.offset) + ", " + exact_bytes(extent.end()) + ")";
  return text;
}

std::string cost_text(double cost) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", cost);
  return text.data();
}

std::string counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string left_out(std::size_t count, const std::string& word) {
  return "... " + std::to_string(count) + " more " + word + (count == 1 ? "" : "s") + " ...";
}

// --- choices -------------------------------------------------------------------------------
std::string value_of(const CollectivePlan& plan, const Reason& reason) {
  const std::string_view question = reason.question;
  if (question == "sub_buffers")
    return std::to_string(plan.sub_buffers) + " of " + exact_bytes(plan.sub_buffer_bytes);
  if (question == "aggregators") return std::to_string(plan.aggregators.size());
  if (question == "partitioning") return std::string(name_of(plan.partitioning));
  return std::string(reason.chosen);
}

std::string choices_text(const CollectivePlan& plan) {
  TextTable table(0);
  for (const Reason& reason : plan.reasons) {
    std::string value = value_of(plan, reason);
    std::string why;
    if (reason.chosen.empty() || value == reason.chosen)
      why = reason.why;
    else  // changed later, so the reason is that of another choice
      why.append("instead of ").append(reason.chosen).append(" (").append(reason.why).append(")");
    table.add({std::string(reason.question), std::move(value), std::move(why)});
  }
  return "Choices, and why\n" + table.str();
}

// --- aggregators ---------------------------------------------------------------------------
TextTable::Cells aggregator_row(const CollectivePlan& plan, const Layout& layout,
                                const Topology& topology, std::size_t i) {
  const Domain& domain = plan.domains[i];
  const int rank = plan.aggregators[i];
  return {std::to_string(i),
          std::to_string(rank),
          std::to_string(topology.node_of(rank)),
          domain.empty() ? "nothing" : range_text(domain.range),
          exact_bytes(domain.bytes()),
          std::to_string(domain.blocks),
          exact_bytes(domain.block),
          exact_bytes(domain.stride),
          std::to_string(plan.cycles_of(static_cast<int>(i), layout).count())};
}

std::string aggregators_text(const CollectivePlan& plan, const Layout& layout,
                             const Topology& topology, const Detail& detail) {
  TextTable table;
  table.add(
      {"#", "rank", "node", "range, also of locks", "bytes", "blocks", "of", "every", "cycles"});
  const Excerpt excerpt(plan.aggregators.size(), detail.aggregators);
  for (std::size_t i = 0; i < excerpt.shown.size(); ++i) {
    if (i == excerpt.head) table.say(left_out(excerpt.left_out, "aggregator"));
    table.add(aggregator_row(plan, layout, topology, excerpt.shown[i]));
  }
  return "Domains of " + counted(plan.aggregators.size(), "aggregator") + "\n" + table.str();
}

// --- requests ------------------------------------------------------------------------------
std::string request_text(const Extent& request, const Layout& layout) {
  std::string place = exact_bytes(request.length) + " at " + exact_bytes(request.offset);
  if (!layout.striped()) return place;
  const int server = layout.server_of(request.offset);
  return std::to_string(server) + " " + std::string(class_name(layout, server)) + ": " + place;
}

TextTable::Cells requests_row(const std::vector<Extent>& requests, const Layout& layout,
                              std::size_t limit) {
  TextTable::Cells cells;
  for (std::size_t i = 0; i < std::min(requests.size(), limit); ++i)
    cells.push_back(request_text(requests[i], layout));
  if (requests.size() > limit)
    cells.push_back("and " + std::to_string(requests.size() - limit) + " more");
  return cells;
}

void add_requests(TextTable& table, const CollectivePlan& plan, const Layout& layout,
                  const Detail& detail, std::size_t aggregator) {
  const Cycles cycles = plan.cycles_of(static_cast<int>(aggregator), layout);
  for (std::int64_t c = 0; c < std::min(cycles.count(), detail.cycles); ++c) {
    TextTable::Cells row{std::to_string(aggregator), std::to_string(c)};
    for (std::string& cell : requests_row(cycles.requests(c), layout, detail.requests))
      row.push_back(std::move(cell));
    table.add(std::move(row));
  }
}

std::string requests_text(const CollectivePlan& plan, const Layout& layout, const Detail& detail) {
  const std::int64_t cycles = std::min(plan.cycles, detail.cycles);
  if (cycles == 0) return {};
  if (!can_list_requests(plan)) return "Requests: too many in one cycle to list them\n";
  TextTable table(2);
  table.add({"#", "cycle", layout.striped() ? "server: request" : "request"});
  const std::size_t lines = kRequestLines / static_cast<std::size_t>(cycles);
  const Excerpt excerpt(plan.aggregators.size(), std::max<std::size_t>(lines, 2));
  for (std::size_t i = 0; i < excerpt.shown.size(); ++i) {
    if (i == excerpt.head) table.say(left_out(excerpt.left_out, "aggregator"));
    add_requests(table, plan, layout, detail, excerpt.shown[i]);
  }
  return "Requests in the first " + std::to_string(cycles) + " of " +
         counted(static_cast<std::size_t>(plan.cycles), "cycle") + "\n" + table.str();
}

// --- costs ---------------------------------------------------------------------------------
// A row of the cost table from one cell for each server that is shown.
template <typename Cell>
TextTable::Cells cost_row(std::string first, const Excerpt& servers, std::string last, Cell cell) {
  TextTable::Cells row{std::move(first)};
  for (std::size_t i = 0; i < servers.shown.size(); ++i) {
    std::string text = cell(servers.shown[i]);
    if (i == servers.head) row.emplace_back(text.empty() ? "" : "...");
    row.push_back(std::move(text));
  }
  row.push_back(std::move(last));
  return row;
}

std::string cost_table(const CollectivePlan& plan, const Layout& layout, const Detail& detail) {
  const CostSummary summary = summarise_costs(plan, layout, detail.cycles);
  if (summary.first.empty() && !summary.sum) return "  too many requests to go through them\n";
  const Excerpt servers(static_cast<std::size_t>(layout.servers()), detail.servers);
  TextTable table;
  table.add(cost_row("cycle", servers, "cost",
                     [](std::size_t server) { return std::to_string(server); }));
  if (!servers.shown.empty())
    table.add(cost_row("", servers, "", [&](std::size_t server) {
      return std::string(class_name(layout, static_cast<int>(server)));
    }));
  for (std::size_t c = 0; c < summary.first.size(); ++c) {
    const CycleCost& cycle = summary.first[c];
    table.add(cost_row(std::to_string(c), servers, cost_text(cycle.cost),
                       [&](std::size_t server) { return cost_text(cycle.by_server[server]); }));
  }
  const std::size_t rest = static_cast<std::size_t>(plan.cycles) - summary.first.size();
  if (rest > 0) table.say(left_out(rest, "cycle"));
  table.add(cost_row("sum", servers, summary.sum ? cost_text(*summary.sum) : "not counted",
                     [](std::size_t) { return std::string(); }));
  return table.str();
}

std::string costs_text(const CollectivePlan& plan, const Layout& layout, const Detail& detail) {
  if (!layout.striped()) return {};
  return "Cost of each cycle: requests to a server queue up, the slowest server counts\n" +
         cost_table(plan, layout, detail);
}

// --- timeline ------------------------------------------------------------------------------
// A line for each cycle, a column for each step: from the step that starts something to the one
// that waits for its end.
std::map<std::int64_t, std::string> timeline(const Program& steps, char file_letter) {
  std::map<std::int64_t, std::string> lines;
  std::map<std::pair<std::int64_t, char>, std::size_t> started;
  for (const Step& step : steps) lines.emplace(step.cycle, std::string(steps.size(), ' '));
  const auto draw = [&](std::int64_t cycle, char letter, std::size_t from, std::size_t to) {
    std::fill_n(lines[cycle].begin() + static_cast<std::ptrdiff_t>(from), to - from, letter);
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Operation operation = steps[i].operation;
    const bool file = operation == Operation::post_io || operation == Operation::await_io;
    const std::pair key{steps[i].cycle, file ? file_letter : 'x'};
    if (operation == Operation::post_exchange || operation == Operation::post_io) {
      started[key] = i;
      continue;
    }
    draw(key.first, key.second, started[key], i + 1);
    started.erase(key);
  }
  for (const auto& [key, from] : started) draw(key.first, key.second, from, steps.size());
  return lines;
}

std::string schedule_text(const CollectivePlan& plan, const Detail& detail) {
  const std::size_t wanted = 4 * static_cast<std::size_t>(detail.cycles);
  const Program steps = first_steps(plan, std::min(wanted, kTimelineSteps));
  const bool writes = plan.direction == Direction::write;
  TextTable table(2);
  table.add({"cycle", "buffer", "a column for each step"});
  for (const auto& [cycle, line] : timeline(steps, writes ? 'W' : 'R'))
    table.add({std::to_string(cycle), std::to_string(cycle % plan.sub_buffers), line});
  return "Schedule " + std::string(name_of(plan.schedule)) + ": the first " +
         std::to_string(steps.size()) + " of " + counted(step_count(plan), "step") +
         " (x exchange, " + (writes ? "W write" : "R read") + ", from its start to its wait)\n" +
         table.str();
}

// --- orders side by side -------------------------------------------------------------------
// The first requests of an aggregator, as numbers of stripes.
std::string stripes_of(const CollectivePlan& plan, const Layout& layout, const Detail& detail,
                       std::size_t aggregator) {
  std::vector<std::int64_t> stripes;
  const Cycles cycles = plan.cycles_of(static_cast<int>(aggregator), layout);
  for (std::int64_t c = 0; c < std::min(cycles.count(), detail.cycles); ++c)
    for (const Extent& request : cycles.requests(c))
      stripes.push_back(request.offset / layout.stripe_bytes);
  const bool all = stripes.size() <= 8;
  if (!all) stripes.resize(4);
  std::string text;
  for (const std::int64_t stripe : stripes) text += std::to_string(stripe) + " ";
  return all ? text : text + "...";
}

std::string stripes_text(const CollectivePlan& plan, const Layout& layout, const Detail& detail) {
  if (!can_list_requests(plan)) return {};
  TextTable table(1);
  table.add({"#", "stripes, in order"});
  const Excerpt excerpt(plan.aggregators.size(), detail.aggregators / 2);
  for (std::size_t i = 0; i < excerpt.shown.size(); ++i) {
    if (i == excerpt.head) table.say(left_out(excerpt.left_out, "aggregator"));
    table.add(
        {std::to_string(excerpt.shown[i]), stripes_of(plan, layout, detail, excerpt.shown[i])});
  }
  return table.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

std::string side_by_side(const std::vector<std::string>& blocks) {
  std::vector<std::string> joined;
  for (const std::string& block : blocks) {
    std::size_t margin = 0;
    for (const std::string& line : joined) margin = std::max(margin, line.size() + 2);
    const std::vector<std::string> lines = lines_of(block);
    joined.resize(std::max(joined.size(), lines.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      joined[i].resize(margin, ' ');
      joined[i] += lines[i];
    }
  }
  std::string text;
  for (const std::string& line : joined)
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace

std::string exact_bytes(ByteCount bytes) {
  constexpr std::array<const char*, 6> kUnits{" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  if (bytes == 0) return "0";
  std::size_t unit = 0;
  while (bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + kUnits[unit];
}

std::string to_text(const CollectivePlan& plan, const Layout& layout, const Topology& topology,
                    const Detail& detail) {
  std::string text = choices_text(plan);
  if (!plan.shuffles()) return text;
  const std::array<std::string, 4> sections{
      aggregators_text(plan, layout, topology, detail), requests_text(plan, layout, detail),
      costs_text(plan, layout, detail), schedule_text(plan, detail)};
  for (const std::string& section : sections)
    if (!section.empty()) text += "\n" + section;
  return text;
}

std::string orders_to_text(std::span<const CollectivePlan> plans, const Layout& layout,
                           const Detail& detail) {
  constexpr int kServersSideBySide = 4;  // of more of them only the slowest one's cost fits
  Detail narrow = detail;
  narrow.servers = layout.servers() <= kServersSideBySide ? kServersSideBySide : 0;
  std::vector<std::string> blocks;
  for (const CollectivePlan& plan : plans)
    blocks.push_back("  " + std::string(name_of(plan.order)) + "\n" +
                     stripes_text(plan, layout, narrow) + "\n" + cost_table(plan, layout, narrow));
  return "Request orders side by side\n" + side_by_side(blocks);
}

}  // namespace tributary::plan
