// A collective plan for people and for programs: as text and as JSON, with the reason for each
// choice. Nothing is decided or estimated here; what is printed is the plan that would run.
// Used by `tributary explain`; not linked into the injected library. Plans of any size are
// described in bounded time and space: of long lists the first and last entries are shown, and
// the text says how many it leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "plan/collective.hpp"

namespace tributary::plan {

// How much is shown of what can be long.
struct Detail {
  std::int64_t cycles = 8;         // requests, costs and steps of the first ones
  std::size_t aggregators = 16;    // rows of the table in the text
  std::size_t requests = 2;        // requests of a cycle in the text
  std::size_t requests_json = 64;  // the same in JSON
  std::size_t servers = 8;         // columns of the cost table in the text
};

// The fields are listed in docs/explain.md; "schema" is "tributary-plan-1".
nlohmann::json to_json(const CollectivePlan& plan, const Layout& layout, const Topology& topology,
                       const Detail& detail = {});
std::string to_text(const CollectivePlan& plan, const Layout& layout, const Topology& topology,
                    const Detail& detail = {});

// Plans that differ in their request order only, side by side: which stripes each aggregator
// touches, and what the cycles cost (HACIO figures 3, 5, 7 and tables 1 to 3).
std::string orders_to_text(std::span<const CollectivePlan> plans, const Layout& layout,
                           const Detail& detail = {});
nlohmann::json orders_to_json(std::span<const CollectivePlan> plans, const Layout& layout,
                              const Detail& detail = {});

// "64 KiB": the largest unit of which it is a whole number, so nothing is rounded.
std::string exact_bytes(ByteCount bytes);

}  // namespace tributary::plan
