// The hint table: one row for each hint is the only place of the library that knows it.
// Parsing and bounds (parse.hpp), the environment (sources.hpp), agreement between ranks and
// MPI_File_get_info (values.hpp) and the reference page docs/hints.md are all made from it.
// To add a hint: add its Id here, in order, and its row in table.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tributary::hints {

// Each Id is spelt as its row's name: the name users already know, ROMIO's first.
enum class Id : std::uint16_t {
  // collective buffering
  cb_buffer_size,
  cb_nodes,
  cb_config_list,
  romio_cb_read,
  romio_cb_write,
  romio_no_indep_rw,
  romio_cb_pfr,
  romio_cb_fr_types,
  romio_cb_fr_alignment,
  romio_cb_ds_threshold,
  romio_cb_alltoall,
  romio_min_fdomain_size,
  cb_align,
  aggregator_placement_stride,
  nc_num_aggrs_per_node,
  io_ompio_grouping_option,
  tributary_collective,
  tributary_partitioning,
  tributary_schedule,
  tributary_order,
  tributary_shuffle,
  tributary_two_level,
  tributary_sub_buffers,
  // independent access
  romio_ds_read,
  romio_ds_write,
  ind_rd_buffer_size,
  ind_wr_buffer_size,
  io_ompio_cycle_buffer_size,
  io_ompio_num_threads,
  direct_read,
  direct_write,
  tributary_strategy,
  tributary_map_files,
  tributary_sieve_gap,
  // storage layout and locks
  striping_unit,
  striping_factor,
  start_iodevice,
  overstriping_ratio,
  file_striping,
  tributary_server_costs,
  tributary_filesystem,
  romio_lustre_co_ratio,
  romio_lustre_coll_threshold,
  romio_lustre_ds_in_coll,
  romio_lustre_cb_lock_ahead_write,
  romio_lustre_cb_lock_ahead_read,
  romio_lustre_cb_lock_ahead_num_extents,
  romio_lustre_cb_lock_ahead_flags,
  tributary_lock_mode,
  tributary_local_aggregation,
  // consistency and errors
  romio_synchronized_flush,
  tributary_sync,
  abort_on_rw_error,
  // what is shown
  tributary_hints_display,
  tributary_aggregator_display,
  tributary_stats,
  tributary_timers,
  // filled in by the library
  romio_filesystem_type,
  romio_aggregator_list,
  romio_visibility_immediate,
  tributary_strategy_used,
  tributary_collective_used,
  tributary_metadata_bytes,
  count,
};

enum class Type : std::uint8_t { boolean, integer, bytes, choice, text, list };

// When a value can still be changed. A value of scope `open` given later is ignored, as MPI
// allows; one of scope `set_view` is used from the next MPI_File_set_view on. A user's value
// for an `informational` hint is ignored always.
enum class Scope : std::uint8_t { open, set_view, any, informational };

// What the choices of a row mean, in the order of its choices: Values::choice<E>(id).
enum class Switch : std::uint8_t { disable, enable, automatic };
enum class Strategy : std::uint8_t { automatic, direct, packed, list, sieve, rmw, mapped };
enum class Collective : std::uint8_t { automatic, independent, local, two_phase, gather };
enum class Partitioning : std::uint8_t { automatic, even, aligned, static_cyclic, group_cyclic };
enum class Schedule : std::uint8_t { automatic, none, comm, write, write_comm, write_comm_2 };
enum class Order : std::uint8_t { automatic, logical, concurrency, heterogeneity };
enum class Shuffle : std::uint8_t { automatic, two_sided, one_sided_fence, one_sided_lock, shared };
enum class SyncMeaning : std::uint8_t { storage, visibility };
enum class LockMode : std::uint8_t { default_lock, group, lock_ahead };
enum class FileStriping : std::uint8_t { automatic, inherit };

// Another spelling of a value.
struct Translation {
  std::string_view from;
  std::string_view to;
};

// Another name of a hint, with the values of its own that it may have (Cray's lock mode 2 is
// our lock_ahead). An alias that is in two rows sets both: `direct_io` is `direct_read` and
// `direct_write`.
struct Alias {
  std::string_view name;
  std::span<const Translation> values = {};
};

// In the order in which a row is read, not in that of alignment.
struct Row {  // NOLINT(clang-analyzer-optin.performance.Padding)
  Id id = Id::count;
  std::string_view name;
  std::span<const Alias> aliases = {};
  std::span<const std::string_view> variables = {};  // other libraries' environment variables
  Type type = Type::text;
  std::int64_t low = 0;  // bounds of integer and bytes, both included
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::span<const std::string_view> choices = {};
  std::span<const Translation> synonyms = {};
  std::string_view initial = {};  // the default, as canonical text; empty: the library decides
  Scope scope = Scope::any;
  bool must_agree = true;  // rank 0's value counts for all ranks
  bool acts = false;       // false: parsed, agreed and reported, but nothing uses it yet
  std::string_view sentence;
};

std::span<const Row> table();
const Row& row(Id id);
const Row* find(std::string_view name_or_alias);

// What a key means: the row, and the alias used, which is null for the row's own name.
struct Match {
  const Row* row = nullptr;
  const Alias* alias = nullptr;
};
std::vector<Match> matches(std::string_view key);

// "TRIBUTARY_CB_NODES", "TRIBUTARY_STRATEGY"; empty for informational hints.
std::string environment_name(const Row& row);

}  // namespace tributary::hints
