// The rows. Names and defaults are those of ROMIO, OMPIO, Cray MPICH and PnetCDF where one of
// them has the hint (ROMIO's name first); hints of our own begin with "tributary_".
#include "hints/table.hpp"

#include <algorithm>
#include <array>

namespace tributary::hints {
namespace {

using std::string_view;

constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kBytesMax = std::int64_t{1} << 40;

constexpr string_view kSwitch[] = {"disable", "enable", "automatic"};
constexpr string_view kOnOff[] = {"disable", "enable"};
constexpr string_view kStrategies[] = {"automatic", "direct", "packed", "list",
                                       "sieve",     "rmw",    "mapped"};
constexpr string_view kCollectives[] = {"automatic", "independent", "local", "two_phase", "gather"};
constexpr string_view kPartitionings[] = {"automatic", "even", "aligned", "static_cyclic",
                                          "group_cyclic"};
constexpr string_view kSchedules[] = {"automatic", "none",       "comm",
                                      "write",     "write_comm", "write_comm_2"};
constexpr string_view kOrders[] = {"automatic", "logical", "concurrency", "heterogeneity"};
constexpr string_view kShuffles[] = {"automatic", "two_sided", "one_sided_fence", "one_sided_lock",
                                     "shared"};
constexpr string_view kSyncMeanings[] = {"storage", "visibility"};
constexpr string_view kLockModes[] = {"default", "group", "lock_ahead"};
constexpr string_view kFileStripings[] = {"auto", "inherit"};

constexpr Translation kSwitchWords[] = {
    {"enabled", "enable"}, {"true", "enable"},      {"yes", "enable"},    {"on", "enable"},
    {"1", "enable"},       {"disabled", "disable"}, {"false", "disable"}, {"no", "disable"},
    {"off", "disable"},    {"0", "disable"},        {"auto", "automatic"}};
constexpr Translation kAutoWords[] = {{"automatic", "auto"}};
constexpr Translation kMinusOneIsZero[] = {{"-1", "0"}, {"automatic", "0"}};

// Values under other names; the first entry of a meaning is how it is reported there.
constexpr Translation kBooleanToSwitch[] = {{"true", "enable"}, {"false", "disable"}};
constexpr Translation kCrayLockModes[] = {{"0", "default"}, {"1", "group"}, {"2", "lock_ahead"}};
constexpr Translation kCrayNoCbModes[] = {{"0", "disable"}, {"1", "enable"}};

constexpr Alias kBufferAliases[] = {{"io_ompio_bytes_per_agg"}, {"bytes_per_agg"}};
constexpr Alias kNodesAliases[] = {{"io_ompio_num_aggregators"}, {"num_aggregators"}};
constexpr Alias kCollectiveAliases[] = {{"collective_buffering", kBooleanToSwitch}};
constexpr Alias kGroupingAliases[] = {{"grouping_option"}};
constexpr Alias kCycleAliases[] = {{"cycle_buffer_size"}};
constexpr Alias kThreadAliases[] = {{"num_threads"}};
constexpr Alias kDirectAliases[] = {{"direct_io"}};
constexpr Alias kUnitAliases[] = {{"stripe_size"}};
constexpr Alias kFactorAliases[] = {{"stripe_width"}};
constexpr Alias kDeviceAliases[] = {{"romio_lustre_start_iodevice"}};
constexpr Alias kOverstripingAliases[] = {{"lustre_overstriping_ratio"}};
constexpr Alias kRatioAliases[] = {{"cray_cb_nodes_multiplier"}};
constexpr Alias kLockAliases[] = {{"cray_cb_write_lock_mode", kCrayLockModes}};
constexpr Alias kLocalAliases[] = {{"cray_nocb_write_lock_mode", kCrayNoCbModes}};
constexpr Alias kFlushAliases[] = {{"romio_synchronizing_flush"}};
constexpr Alias kListAliases[] = {{"cb_node_list"}};

constexpr string_view kBufferVariables[] = {"OMPI_MCA_io_ompio_bytes_per_agg"};
constexpr string_view kNodesVariables[] = {"OMPI_MCA_io_ompio_num_aggregators"};
constexpr string_view kGroupingVariables[] = {"OMPI_MCA_io_ompio_grouping_option"};
constexpr string_view kCycleVariables[] = {"OMPI_MCA_io_ompio_cycle_buffer_size"};
constexpr string_view kThreadVariables[] = {"OMPI_MCA_io_ompio_num_threads"};
constexpr string_view kAlignVariables[] = {"MPICH_MPIIO_CB_ALIGN"};
constexpr string_view kStrideVariables[] = {"MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE"};
constexpr string_view kFilesystemVariables[] = {"ROMIO_FSTYPE_FORCE"};
constexpr string_view kAbortVariables[] = {"MPICH_MPIIO_ABORT_ON_RW_ERROR"};
constexpr string_view kDisplayVariables[] = {"MPICH_MPIIO_HINTS_DISPLAY", "ROMIO_PRINT_HINTS"};
constexpr string_view kPlacementVariables[] = {"MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY"};
constexpr string_view kStatsVariables[] = {"MPICH_MPIIO_STATS"};
constexpr string_view kTimersVariables[] = {"MPICH_MPIIO_TIMERS"};

// clang-format off
constexpr Row kTable[] = {
    {.id = Id::cb_buffer_size, .name = "cb_buffer_size", .aliases = kBufferAliases,
     .variables = kBufferVariables, .type = Type::bytes, .low = 1, .high = kBytesMax,
     .initial = "16777216", .acts = true,
     .sentence = "Size of the collective buffer of one aggregator."},
    {.id = Id::cb_nodes, .name = "cb_nodes", .aliases = kNodesAliases,
     .variables = kNodesVariables, .type = Type::integer, .low = 0, .high = kCountMax,
     .synonyms = kMinusOneIsZero, .scope = Scope::open, .acts = true,
     .sentence = "Number of aggregators; 0: the library chooses."},
    {.id = Id::cb_config_list, .name = "cb_config_list", .type = Type::list, .initial = "*:1",
     .scope = Scope::open, .acts = true,
     .sentence = "Hosts that may hold aggregators, each as host:count, where * is any host or "
                 "every process."},
    {.id = Id::romio_cb_read, .name = "romio_cb_read", .aliases = kCollectiveAliases,
     .type = Type::choice, .choices = kSwitch, .synonyms = kSwitchWords, .initial = "automatic", .acts = true,
     .sentence = "Collective buffering in collective reads."},
    {.id = Id::romio_cb_write, .name = "romio_cb_write", .aliases = kCollectiveAliases,
     .type = Type::choice, .choices = kSwitch, .synonyms = kSwitchWords, .initial = "automatic", .acts = true,
     .sentence = "Collective buffering in collective writes."},
    {.id = Id::romio_no_indep_rw, .name = "romio_no_indep_rw", .type = Type::boolean,
     .initial = "false", .scope = Scope::open,
     .sentence = "The program promises to make only collective reads and writes."},
    {.id = Id::romio_cb_pfr, .name = "romio_cb_pfr", .type = Type::choice, .choices = kSwitch,
     .synonyms = kSwitchWords, .initial = "disable", .scope = Scope::set_view,
     .sentence = "Keep the file domains of the aggregators from one call to the next."},
    {.id = Id::romio_cb_fr_types, .name = "romio_cb_fr_types", .initial = "aar",
     .scope = Scope::set_view,
     .sentence = "How kept domains are cut: aar (the accessed region), fsr (the file size) or a "
                 "size in bytes."},
    {.id = Id::romio_cb_fr_alignment, .name = "romio_cb_fr_alignment", .type = Type::bytes,
     .low = 1, .high = kBytesMax, .initial = "1", .scope = Scope::set_view,
     .sentence = "Kept domains begin at a multiple of this."},
    {.id = Id::romio_cb_ds_threshold, .name = "romio_cb_ds_threshold", .type = Type::integer,
     .high = kCountMax, .initial = "0",
     .sentence = "Share of the file type that is data, in percent, from which aggregators do "
                 "data sieving."},
    {.id = Id::romio_cb_alltoall, .name = "romio_cb_alltoall", .type = Type::choice,
     .choices = kSwitch, .synonyms = kSwitchWords, .initial = "automatic",
     .sentence = "Exchange data by all-to-all instead of by single messages."},
    {.id = Id::romio_min_fdomain_size, .name = "romio_min_fdomain_size", .type = Type::bytes,
     .high = kBytesMax, .initial = "0", .acts = true,
     .sentence = "A file domain is not smaller than this."},
    {.id = Id::cb_align, .name = "cb_align", .variables = kAlignVariables, .type = Type::integer,
     .high = 3,
     .sentence = "Cray's number for how file domains are aligned."},
    {.id = Id::aggregator_placement_stride, .name = "aggregator_placement_stride",
     .variables = kStrideVariables, .type = Type::integer, .low = -1, .high = kCountMax,
     .initial = "-1", .scope = Scope::open, .acts = true,
     .sentence = "Ranks from one aggregator to the next; -1: spread over the nodes."},
    {.id = Id::nc_num_aggrs_per_node, .name = "nc_num_aggrs_per_node", .type = Type::integer,
     .high = kCountMax, .initial = "0", .scope = Scope::open, .acts = true,
     .sentence = "Aggregators inside one node that gather its data first; 0: none."},
    {.id = Id::io_ompio_grouping_option, .name = "io_ompio_grouping_option",
     .aliases = kGroupingAliases, .variables = kGroupingVariables, .type = Type::integer,
     .low = 1, .high = 7, .initial = "5", .scope = Scope::set_view,
     .sentence = "OMPIO's number for how ranks are grouped under aggregators."},
    {.id = Id::tributary_collective, .name = "tributary_collective", .type = Type::choice,
     .choices = kCollectives, .initial = "automatic", .acts = true,
     .sentence = "Strategy of collective access: each rank for itself, gathered inside each node, "
                 "in two phases through aggregators, or through one aggregator."},
    {.id = Id::tributary_partitioning, .name = "tributary_partitioning", .type = Type::choice,
     .choices = kPartitionings, .initial = "automatic", .acts = true,
     .sentence = "How the accessed part of the file is divided into domains of aggregators."},
    {.id = Id::tributary_schedule, .name = "tributary_schedule", .type = Type::choice,
     .choices = kSchedules, .initial = "automatic", .acts = true,
     .sentence = "What overlaps in the cycles of a collective access: nothing, the exchange, file "
                 "access, both in step, or both as data flows."},
    {.id = Id::tributary_order, .name = "tributary_order", .type = Type::choice,
     .choices = kOrders, .initial = "automatic", .acts = true,
     .sentence = "In which order an aggregator touches the stripes of its domain: by offset, "
                 "starting at different servers, or slow servers first."},
    {.id = Id::tributary_shuffle, .name = "tributary_shuffle", .type = Type::choice,
     .choices = kShuffles, .initial = "automatic", .acts = true,
     .sentence = "How data travels between ranks and aggregators: messages, one-sided with fences, "
                 "one-sided with locks, or memory shared inside a node and messages between nodes."},
    {.id = Id::tributary_two_level, .name = "tributary_two_level", .type = Type::choice,
     .choices = kSwitch, .synonyms = kSwitchWords, .initial = "automatic", .acts = true,
     .sentence = "Gather inside a node what goes to aggregators on other nodes."},
    {.id = Id::tributary_sub_buffers, .name = "tributary_sub_buffers", .type = Type::integer,
     .high = 64, .initial = "0", .acts = true,
     .sentence = "Parts of the collective buffer that may be in use at the same time; 0: as many as "
                 "the schedule needs."},

    {.id = Id::romio_ds_read, .name = "romio_ds_read", .type = Type::choice, .choices = kSwitch,
     .synonyms = kSwitchWords, .initial = "automatic", .must_agree = false, .acts = true,
     .sentence = "Data sieving in independent reads: read the gaps too, in one piece."},
    {.id = Id::romio_ds_write, .name = "romio_ds_write", .type = Type::choice,
     .choices = kSwitch, .synonyms = kSwitchWords, .initial = "automatic", .acts = true,
     .sentence = "Data sieving in independent writes: read, modify and write back under a lock."},
    {.id = Id::ind_rd_buffer_size, .name = "ind_rd_buffer_size", .type = Type::bytes, .low = 1,
     .high = kBytesMax, .initial = "524288", .must_agree = false, .acts = true,
     .sentence = "Size of the buffer of an independent read; it should fit into a core's cache."},
    {.id = Id::ind_wr_buffer_size, .name = "ind_wr_buffer_size", .type = Type::bytes, .low = 1,
     .high = kBytesMax, .initial = "524288", .must_agree = false, .acts = true,
     .sentence = "Size of the buffer of an independent write."},
    {.id = Id::io_ompio_cycle_buffer_size, .name = "io_ompio_cycle_buffer_size",
     .aliases = kCycleAliases, .variables = kCycleVariables, .type = Type::bytes,
     .high = kBytesMax, .synonyms = kMinusOneIsZero, .initial = "536870912",
     .must_agree = false,
     .sentence = "Data handled in one cycle of an independent access; 0: no limit."},
    {.id = Id::io_ompio_num_threads, .name = "io_ompio_num_threads", .aliases = kThreadAliases,
     .variables = kThreadVariables, .type = Type::integer, .low = 1, .high = 4096,
     .initial = "1", .must_agree = false,
     .sentence = "Threads of one process that work on an independent access."},
    {.id = Id::direct_read, .name = "direct_read", .aliases = kDirectAliases,
     .type = Type::boolean, .initial = "false", .scope = Scope::open,
     .sentence = "Read past the operating system's cache (O_DIRECT)."},
    {.id = Id::direct_write, .name = "direct_write", .aliases = kDirectAliases,
     .type = Type::boolean, .initial = "false", .scope = Scope::open,
     .sentence = "Write past the operating system's cache (O_DIRECT)."},
    {.id = Id::tributary_strategy, .name = "tributary_strategy", .type = Type::choice,
     .choices = kStrategies, .initial = "automatic", .acts = true,
     .sentence = "Strategy of independent access, used wherever it is applicable."},
    {.id = Id::tributary_map_files, .name = "tributary_map_files", .type = Type::choice,
     .choices = kSwitch, .synonyms = kSwitchWords, .initial = "automatic", .acts = true,
     .sentence = "Store into the mapped file instead of calling write."},
    {.id = Id::tributary_sieve_gap, .name = "tributary_sieve_gap", .type = Type::bytes,
     .high = kBytesMax, .initial = "8192", .must_agree = false, .acts = true,
     .sentence = "Gaps up to this size are read along instead of splitting the request."},

    {.id = Id::striping_unit, .name = "striping_unit", .aliases = kUnitAliases,
     .type = Type::bytes, .high = kBytesMax, .scope = Scope::open, .acts = true,
     .sentence = "Stripe size of a file that is created; 0: the file system's default."},
    {.id = Id::striping_factor, .name = "striping_factor", .aliases = kFactorAliases,
     .type = Type::integer, .low = -1, .high = kCountMax, .scope = Scope::open, .acts = true,
     .sentence = "Stripe count of a file that is created; 0: the file system's default, -1: all "
                 "storage targets."},
    {.id = Id::start_iodevice, .name = "start_iodevice", .aliases = kDeviceAliases,
     .type = Type::integer, .low = -1, .high = kCountMax, .scope = Scope::open,
     .sentence = "Storage target of the first stripe of a file that is created; -1: any."},
    {.id = Id::overstriping_ratio, .name = "overstriping_ratio", .aliases = kOverstripingAliases,
     .type = Type::integer, .high = kCountMax, .initial = "1", .scope = Scope::open,
     .sentence = "Stripes that a created file may have on one storage target; 0 and 1: no "
                 "overstriping."},
    {.id = Id::file_striping, .name = "file_striping", .type = Type::choice,
     .choices = kFileStripings, .synonyms = kAutoWords, .initial = "inherit",
     .scope = Scope::open,
     .sentence = "Striping of a created file where no hint gives it: chosen from the job (auto) "
                 "or the folder's (inherit)."},
    {.id = Id::tributary_server_costs, .name = "tributary_server_costs", .type = Type::list,
     .scope = Scope::open, .acts = true,
     .sentence = "Relative time of a request on each storage server, as 5,1,5,1; with striping_unit "
                 "it tells the planner about slow and fast servers."},
    {.id = Id::tributary_filesystem, .name = "tributary_filesystem",
     .variables = kFilesystemVariables, .scope = Scope::open,
     .sentence = "Treat the file as being on this file system (ufs, nfs, lustre) instead of "
                 "asking the system."},
    {.id = Id::romio_lustre_co_ratio, .name = "romio_lustre_co_ratio", .aliases = kRatioAliases,
     .type = Type::integer, .low = 1, .high = kCountMax, .initial = "1", .scope = Scope::open, .acts = true,
     .sentence = "Aggregators for each storage target."},
    {.id = Id::romio_lustre_coll_threshold, .name = "romio_lustre_coll_threshold",
     .type = Type::bytes, .high = kBytesMax, .initial = "0",
     .sentence = "Requests larger than this are not buffered collectively; 0: no threshold."},
    {.id = Id::romio_lustre_ds_in_coll, .name = "romio_lustre_ds_in_coll", .type = Type::choice,
     .choices = kSwitch, .synonyms = kSwitchWords, .initial = "enable",
     .sentence = "Data sieving by the aggregators of a collective write."},
    {.id = Id::romio_lustre_cb_lock_ahead_write, .name = "romio_lustre_cb_lock_ahead_write",
     .type = Type::boolean, .initial = "false", .scope = Scope::open,
     .sentence = "Ask for Lustre locks ahead of collective writes."},
    {.id = Id::romio_lustre_cb_lock_ahead_read, .name = "romio_lustre_cb_lock_ahead_read",
     .type = Type::boolean, .initial = "false", .scope = Scope::open,
     .sentence = "Ask for Lustre locks ahead of collective reads."},
    {.id = Id::romio_lustre_cb_lock_ahead_num_extents,
     .name = "romio_lustre_cb_lock_ahead_num_extents", .type = Type::integer, .low = 1,
     .high = kCountMax, .initial = "500", .scope = Scope::open,
     .sentence = "Extents for which locks are asked ahead in one request."},
    {.id = Id::romio_lustre_cb_lock_ahead_flags, .name = "romio_lustre_cb_lock_ahead_flags",
     .type = Type::integer, .high = kCountMax, .initial = "0", .scope = Scope::open,
     .sentence = "Flags that are passed to Lustre with a request for locks ahead."},
    {.id = Id::tributary_lock_mode, .name = "tributary_lock_mode", .aliases = kLockAliases,
     .type = Type::choice, .choices = kLockModes, .initial = "default", .scope = Scope::open,
     .sentence = "Locks that aggregators use in collective writes."},
    {.id = Id::tributary_local_aggregation, .name = "tributary_local_aggregation",
     .aliases = kLocalAliases, .type = Type::choice, .choices = kSwitch,
     .synonyms = kSwitchWords, .initial = "disable", .scope = Scope::open, .acts = true,
     .sentence = "In a collective write, every rank writes its own data under a group lock."},

    {.id = Id::romio_synchronized_flush, .name = "romio_synchronized_flush",
     .aliases = kFlushAliases, .type = Type::boolean, .initial = "false",
     .sentence = "MPI_File_sync returns only after every rank has flushed."},
    {.id = Id::tributary_sync, .name = "tributary_sync", .type = Type::choice,
     .choices = kSyncMeanings, .initial = "storage", .acts = true,
     .sentence = "What MPI_File_sync does: bring data to the storage device, or only make it "
                 "visible to other ranks."},
    {.id = Id::abort_on_rw_error, .name = "abort_on_rw_error", .variables = kAbortVariables,
     .type = Type::choice, .choices = kOnOff, .synonyms = kSwitchWords, .initial = "disable",
     .sentence = "Abort the program when a read or a write fails."},

    {.id = Id::tributary_hints_display, .name = "tributary_hints_display",
     .variables = kDisplayVariables, .type = Type::boolean, .initial = "false",
     .scope = Scope::open,
     .sentence = "Print the hints of a file when it is opened."},
    {.id = Id::tributary_aggregator_display, .name = "tributary_aggregator_display",
     .variables = kPlacementVariables, .type = Type::boolean, .initial = "false",
     .scope = Scope::open,
     .sentence = "Print where the aggregators of a file are."},
    {.id = Id::tributary_stats, .name = "tributary_stats", .variables = kStatsVariables,
     .type = Type::integer, .high = 2, .initial = "0", .scope = Scope::open,
     .sentence = "Print access statistics of a file when it is closed: 0 none, 1 a summary, 2 "
                 "all."},
    {.id = Id::tributary_timers, .name = "tributary_timers", .variables = kTimersVariables,
     .type = Type::boolean, .initial = "false", .scope = Scope::open,
     .sentence = "Print the time spent in each phase when a file is closed."},

    {.id = Id::romio_filesystem_type, .name = "romio_filesystem_type",
     .scope = Scope::informational, .must_agree = false, .acts = true,
     .sentence = "The file system on which the file was found."},
    {.id = Id::romio_aggregator_list, .name = "romio_aggregator_list", .aliases = kListAliases,
     .scope = Scope::informational, .must_agree = false, .acts = true,
     .sentence = "The ranks that are aggregators."},
    {.id = Id::romio_visibility_immediate, .name = "romio_visibility_immediate",
     .type = Type::boolean, .scope = Scope::informational, .must_agree = false, .acts = true,
     .sentence = "Whether other ranks see written data without MPI_File_sync."},
    {.id = Id::tributary_strategy_used, .name = "tributary_strategy_used",
     .scope = Scope::informational, .must_agree = false, .acts = true,
     .sentence = "How this rank's last independent access was done, and why."},
    {.id = Id::tributary_collective_used, .name = "tributary_collective_used",
     .scope = Scope::informational, .must_agree = false, .acts = true,
     .sentence = "How the last collective access was done, and why."},
    {.id = Id::tributary_metadata_bytes, .name = "tributary_metadata_bytes",
     .scope = Scope::informational, .must_agree = false, .acts = true,
     .sentence = "Bytes of this rank's views and requests that were sent to other ranks so far."},
};
// clang-format on

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < std::size(kTable); ++i) {
    if (kTable[i].id != static_cast<Id>(i) || kTable[i].name.empty()) return false;
  }
  return std::size(kTable) == static_cast<std::size_t>(Id::count);
}
static_assert(rows_are_in_order(), "row i of the hint table is the row of Id i");

constexpr bool names_are_unique() {
  for (const Row& one : kTable) {
    for (const Row& other : kTable) {
      if (&one != &other && one.name == other.name) return false;
      for (const Alias& alias : other.aliases) {
        if (alias.name == one.name) return false;
      }
    }
  }
  return true;
}
static_assert(names_are_unique(), "a hint's name is no other hint's name or alias");

const Alias* find_alias(const Row& row, string_view name) {
  const auto found = std::ranges::find(row.aliases, name, &Alias::name);
  return found == row.aliases.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Row> table() {
  return kTable;
}

const Row& row(Id id) {
  return kTable[static_cast<std::size_t>(id)];
}

const Row* find(string_view name_or_alias) {
  const std::vector<Match> found = matches(name_or_alias);
  return found.empty() ? nullptr : found.front().row;
}

std::vector<Match> matches(string_view key) {
  std::vector<Match> found;
  for (const Row& candidate : kTable) {
    const Alias* alias = find_alias(candidate, key);
    if (candidate.name == key || alias != nullptr) found.push_back({&candidate, alias});
  }
  return found;
}

std::string environment_name(const Row& row) {
  if (row.scope == Scope::informational) return {};
  constexpr string_view kOurs = "tributary_";
  string_view name = row.name;
  if (name.starts_with(kOurs)) name.remove_prefix(kOurs.size());
  std::string variable = "TRIBUTARY_";
  for (const char c : name) {
    variable += 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return variable;
}

}  // namespace tributary::hints
