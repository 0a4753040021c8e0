#include "job.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>

#include "access.hpp"
#include "base/errno_error.hpp"
#include "hints/for_plan.hpp"
#include "hints/values.hpp"
#include "reader.hpp"

namespace tributary::tools {
namespace {

constexpr std::int64_t kRanksMax = 1 << 24;
constexpr std::int64_t kServersMax = 1 << 16;
constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();

int count_or(const Reader& reader, const std::string& key, std::int64_t high, int otherwise) {
  const std::optional<Reader> found = reader.find(key);
  return found ? static_cast<int>(found->integer(1, high)) : otherwise;
}

// --- ranks and nodes -----------------------------------------------------------------------
// Ranks fill the nodes one after the other: as many on each as the job says, else evenly.
plan::Topology read_topology(const Reader& job) {
  plan::Topology topology;
  topology.ranks = static_cast<int>(job.at("ranks").integer(1, kRanksMax));
  const int given = count_or(job, "ranks_per_node", topology.ranks, 0);
  const int needed = given == 0 ? 1 : (topology.ranks + given - 1) / given;
  const int nodes = count_or(job, "nodes", topology.ranks, needed);
  if (given > 0 && nodes != needed)
    job.at("ranks_per_node")
        .fail(std::to_string(given) + " on a node take " + std::to_string(needed) + " nodes for " +
              std::to_string(topology.ranks) + " ranks, not " + std::to_string(nodes));
  const int per_node = given > 0 ? given : (topology.ranks + nodes - 1) / nodes;
  const int numa = count_or(job, "numa_per_node", kRanksMax, 1);
  topology.cores_per_node = count_or(job, "cores_per_node", kRanksMax, per_node);
  int first_of_node = 0;
  for (int rank = 0; rank < topology.ranks; ++rank) {
    const auto even = static_cast<int>(std::int64_t{rank} * nodes / topology.ranks);
    const int node = given > 0 ? rank / given : even;
    if (rank > 0 && node != topology.node_of_rank.back()) first_of_node = rank;
    topology.node_of_rank.push_back(node);
    const std::int64_t within = rank - first_of_node;
    topology.numa_of_rank.push_back(static_cast<int>(within * numa / per_node));
  }
  for (int node = 0; node < nodes; ++node)
    topology.node_names.push_back("node" + std::to_string(node));
  return topology;
}

// --- hints ---------------------------------------------------------------------------------
struct GivenHint {
  std::string key;
  std::string value;
  std::string where;
  bool in_file = true;
};

std::string hint_text(const Reader& value) {
  if (value.value().is_string()) return value.text();
  if (value.value().is_boolean()) return value.boolean() ? "true" : "false";
  if (value.value().is_number_integer()) return value.value().dump();
  value.fail("the value of a hint is a text, a whole number, true or false");
}

std::vector<GivenHint> hints_of_file(const Reader& job) {
  std::vector<GivenHint> given;
  const std::optional<Reader> hints = job.find("hints");
  if (!hints) return given;
  if (!hints->value().is_object()) hints->fail("hints are an object of keys and values");
  for (const auto& [key, value] : hints->value().items()) {
    const std::string where = "hints." + key;
    given.push_back({key, hint_text(Reader(value, where)), where, true});
  }
  return given;
}

// A complaint about an argument, not about the file.
class ArgumentError : public JobError {
 public:
  using JobError::JobError;
};

[[noreturn]] void refuse(const GivenHint& hint, const std::string& why) {
  if (hint.in_file) throw JobError(hint.where + ": " + why);
  throw ArgumentError(hint.where + ": " + why);
}

GivenHint hint_of_argument(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ArgumentError("--hint " + argument + ": it has to be key=value");
  const std::string key = argument.substr(0, equals);
  return {key, argument.substr(equals + 1), "--hint " + key, false};
}

void set_hint(hints::Values& values, const GivenHint& hint, Job& job) {
  const std::vector<hints::Match> found = hints::matches(hint.key);
  if (found.empty())
    job.warnings.push_back(hint.where + ": no such hint; the library keeps and ignores it");
  for (const auto& [row, alias] : found) {
    if (row->scope == hints::Scope::informational)
      refuse(hint, "this hint is filled in by the library");
    if (!row->acts) job.warnings.push_back(hint.where + ": nothing uses this hint yet");
    const Status status = values.set_parsed(row->id, hint.value, hints::Origin::info, alias);
    if (!status.ok()) refuse(hint, status.error().message);
  }
}

// As in an MPI_Info, a hint's own name counts more than its aliases; the command line counts more
// than the file.
hints::Values read_hints(const Reader& reader, const std::vector<std::string>& more, Job& job) {
  std::vector<GivenHint> given = hints_of_file(reader);
  for (const std::string& argument : more) given.push_back(hint_of_argument(argument));
  std::ranges::stable_sort(given, {}, [](const GivenHint& hint) {
    const hints::Row* row = hints::find(hint.key);
    const bool own_name = row != nullptr && row->name == hint.key;
    return std::pair(!hint.in_file, own_name);
  });
  hints::Values values;
  for (const GivenHint& hint : given) {
    set_hint(values, hint, job);
    job.given_hints.emplace_back(hint.key, hint.value);
  }
  return values;
}

// --- storage -------------------------------------------------------------------------------
int class_index(plan::Layout& layout, const std::string& name, double cost) {
  const auto known = std::ranges::find(layout.classes, name, &plan::ServerClass::name);
  const auto index = static_cast<int>(known - layout.classes.begin());
  if (known == layout.classes.end()) layout.classes.push_back({name, cost});
  return index;
}

// "hdd", with its cost in storage.classes.
void add_named_server(plan::Layout& layout, const Reader& server, const Reader& storage) {
  const std::string name = server.text();
  const std::optional<Reader> classes = storage.find("classes");
  const std::optional<Reader> known = classes ? classes->find(name) : std::nullopt;
  if (!known) server.fail("storage.classes has no class '" + name + "'");
  layout.class_of_server.push_back(class_index(layout, name, known->positive_number()));
}

// {"class": "hdd", "cost": 5, "count": 2}
void add_servers(plan::Layout& layout, const Reader& servers) {
  servers.expect_keys({"class", "cost", "count"});
  const std::string name = servers.at("class").text();
  const std::optional<Reader> cost = servers.find("cost");
  const double number = cost ? cost->positive_number() : 1.0;
  const int index = class_index(layout, name, number);
  if (layout.classes[static_cast<std::size_t>(index)].cost != number)
    cost->fail("class '" + name + "' has another cost above");
  const int count = count_or(servers, "count", kServersMax, 1);
  layout.class_of_server.insert(layout.class_of_server.end(), static_cast<std::size_t>(count),
                                index);
}

plan::Layout read_layout(const Reader& storage) {
  plan::Layout layout;
  layout.stripe_bytes = storage.at("stripe").bytes(1);
  const Reader servers = storage.at("servers");
  if (servers.value().is_number()) {
    layout.classes.push_back({"server", 1.0});
    layout.class_of_server.assign(static_cast<std::size_t>(servers.integer(1, kServersMax)), 0);
    return layout;
  }
  for (const Reader& item : servers.items()) {
    if (item.value().is_string())
      add_named_server(layout, item, storage);
    else
      add_servers(layout, item);
    if (layout.servers() > kServersMax) servers.fail("too many servers");
  }
  if (layout.class_of_server.empty()) servers.fail("there has to be at least one server");
  return layout;
}

// What the job file does not say, the hints say: striping_unit and its like.
void read_storage(const Reader& reader, const hints::Values& values, Job& job) {
  plan::CollectiveFacts& facts = job.facts;
  const int nodes = facts.topology.nodes();
  job.local_file_system = nodes == 1;
  facts.layout = hints::layout_of(values);
  if (const std::optional<Reader> storage = reader.find("storage")) {
    storage->expect_keys({"stripe", "servers", "classes", "file_system", "call_ns"});
    if (storage->find("stripe") || storage->find("servers")) facts.layout = read_layout(*storage);
    constexpr std::array<std::string_view, 2> kKinds{"local", "remote"};
    if (const std::optional<Reader> kind = storage->find("file_system")) {
      job.local_file_system = kind->choice(kKinds) == 0;
      if (job.local_file_system && nodes > 1)
        kind->fail("the file system of one node is not seen by " + std::to_string(nodes) +
                   " nodes");
    }
    facts.storage.call_ns =
        count_or(*storage, "call_ns", kCountMax, static_cast<int>(facts.storage.call_ns));
  }
  facts.page_cache_shared = job.local_file_system;
  facts.storage.mappings_coherent = job.local_file_system;
}

// Whether all writes through such views lock, as file/ lets the ranks agree when they set them.
bool writers_lock(const plan::CollectiveFacts& facts, const plan::IndependentHints& hints) {
  if (facts.direction == Direction::read) return false;
  if (hints.sieve_writes == plan::Choice::enable) return true;
  return std::ranges::any_of(facts.ranks, [&](const plan::RankAccess& rank) {
    plan::IndependentFacts view = facts.storage;
    view.file_mean_run = rank.mean_run;
    return rank.bytes < rank.span.length && plan::wants_rewriting(view);
  });
}

// --- the file ------------------------------------------------------------------------------
void read_document(Job& job, const std::vector<std::string>& more_hints) {
  const Reader reader(job.document);
  reader.expect_keys({"description", "ranks", "nodes", "ranks_per_node", "cores_per_node",
                      "numa_per_node", "direction", "atomic", "access", "storage", "hints"});
  if (const std::optional<Reader> text = reader.find("description")) job.description = text->text();
  plan::CollectiveFacts& facts = job.facts;
  constexpr std::array<std::string_view, 2> kDirections{"read", "write"};
  facts.direction = static_cast<Direction>(reader.at("direction").choice(kDirections));
  facts.topology = read_topology(reader);
  const hints::Values values = read_hints(reader, more_hints, job);
  job.hints = hints::collective_hints(values, facts.direction);
  Accesses accesses = read_access(reader.at("access"), facts.topology.ranks);
  facts.ranks = std::move(accesses.ranks);
  facts.views_ascending = accesses.ascending;
  job.access = std::move(accesses.summary);
  const std::optional<Reader> atomic = reader.find("atomic");
  facts.atomic = facts.storage.atomic = atomic && atomic->boolean();
  facts.storage.ascending = facts.views_ascending;
  read_storage(reader, values, job);
  job.writers_lock = writers_lock(facts, job.hints.independent);
}

// Not by a stream: of a directory, which can be opened but not read, a stream knows no errno.
Result<std::string> contents_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return errno_error("read", path, errno);
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get()))
    text.append(buffer.data(), got);
  if (std::ferror(file.get()) != 0) return errno_error("read", path, errno);
  return text;
}

// "parse error at line 3, column 5: ..." without the exception's number.
std::string sentence_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const std::size_t bracket = text.find("] ");
  return bracket == std::string::npos ? text : text.substr(bracket + 2);
}

}  // namespace

Result<Job> read_job(const std::string& path, const std::vector<std::string>& more_hints) {
  const Result<std::string> text = contents_of(path);
  if (!text.ok()) return text.error();
  Job job;
  try {
    job.document = nlohmann::json::parse(*text);
    read_document(job, more_hints);
  } catch (const nlohmann::json::exception& error) {
    return Error{ErrorKind::argument, path + ": " + sentence_of(error)};
  } catch (const ArgumentError& error) {
    return Error{ErrorKind::argument, error.what()};
  } catch (const JobError& error) {
    return Error{ErrorKind::argument, path + ": " + error.what()};
  }
  return job;
}

}  // namespace tributary::tools
