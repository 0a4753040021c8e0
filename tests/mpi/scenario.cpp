#include "scenario.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "mpi_test.hpp"

namespace tributary::test {

namespace {

std::int64_t choose_origin(Random& common, bool far_offsets) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  const bool far = common.chance(1, 16);
  const std::int64_t border = common.pick({2 * gib, 4 * gib, 9 * gib});
  const std::int64_t before = common.between(0, 3000);
  if (far && far_offsets) return border - before;
  return common.chance(1, 2) ? 0 : common.skewed(1000);
}

}  // namespace

ScenarioSettings ScenarioSettings::for_stock() {
  ScenarioSettings settings;
  // OMPIO seeks from the end in bytes, leaves garbage in preallocated space and in the holes of
  // collective writes, and stumbles over empty blocks; both report bytes behind the end as read.
  for (const char* const name :
       {"empty_views", "empty_parts", "seek_end", "growth", "preallocation", "reads_past_end"}) {
    settings.leave_out(name);
  }
#ifdef MPICH_VERSION
  // ROMIO ends the job for pair types, ignores the lower bound of types with a single block, and
  // takes the extent of inner types for their size here and there.
  for (const char* const name : {"pair_types", "shifted_bounds", "wild_memory"}) {
    settings.leave_out(name);
  }
  settings.depth_max = 1;
#endif
  return settings;
}

bool ScenarioSettings::leave_out(std::string_view name) {
  const std::pair<std::string_view, bool*> all[] = {{"empty_views", &empty_views},
                                                    {"empty_parts", &empty_parts},
                                                    {"atomic_mode", &atomic_mode},
                                                    {"absolute_addresses", &absolute_addresses},
                                                    {"pair_types", &pair_types},
                                                    {"far_offsets", &far_offsets},
                                                    {"shifted_bounds", &shifted_bounds},
                                                    {"seek_end", &seek_end},
                                                    {"growth", &growth},
                                                    {"wild_memory", &wild_memory},
                                                    {"preallocation", &preallocation},
                                                    {"reads_past_end", &reads_past_end}};
  for (const auto& [known, value] : all) {
    if (known == name) *value = false;
    if (known == name) return true;
  }
  return false;
}

Scenario::Scenario(const ScenarioSettings& settings, MPI_Comm communicator, ScenarioFile file,
                   std::uint64_t seed)
    : settings_(settings),
      communicator_(communicator),
      file_(file),
      seed_(seed),
      common_(seed),
      own_(seed),
      model_(0) {
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &ranks_);
  own_ = Random(seed, static_cast<std::uint64_t>(rank_) + 1);
  frame_.communicator = communicator_;
  frame_.rank = rank_;
  frame_.ranks = ranks_;
  frame_.origin = choose_origin(common_, settings_.far_offsets);
  frame_.span_bytes = settings_.collective_only  // many cycles, but not too many
                          ? common_.pick({256, 1024, 1024, 4096})
                          : common_.pick({256, 1024, 4096, 4096, 16384, 65536});
  frame_.empty_views = settings_.empty_views;
  frame_.type_options.empty_parts = settings_.empty_parts;
  frame_.type_options.shifted_bounds = settings_.shifted_bounds;
  frame_.type_options.depth_max = settings_.depth_max;
  frame_.type_options.describe = settings_.describe;
  frame_.type_options.bytes_max = common_.pick({64, 256, 256, 1024});
  model_ = FileModel(frame_.origin);
}

bool Scenario::run() {
  choose_etype();
  prepare_file();
  const int acts = common_.pick({1, 1, 1, 2, 2, 3});
  for (int i = 0; i < acts; ++i) act();
  for (const std::string& complaint : TypeGenerator::complaints()) fail(complaint);
  TypeGenerator::complaints().clear();
  int good = failures_.empty() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, communicator_);
  return good == 1;
}

// Either bytes, which match any memory type; or one predefined type; or a small type made of it.
void Scenario::choose_etype() {
  const int kind = common_.small(0, 3);
  const auto leaves = settings_.pair_types ? all_leaves() : plain_leaves();
  const Leaf& basic = kind <= 1 ? byte_leaf() : common_.pick(leaves);
  etype_ = {Datatype::borrowed(basic.handle), basic.model, basic.name};
  if (kind == 3) {
    TypeOptions options = frame_.type_options;
    options.file = true;
    options.depth_max = std::min(2, settings_.depth_max);
    options.bytes_max = 48;
    options.empty_parts = false;
    TypeGenerator generator(common_, options, std::span(&basic, 1));
    RandomType made = generator.make_sized(basic.model.size);
    const TypeModel& model = made.model;
    const bool usable = model.lb == 0 && model.true_lb() == 0 && model.extent() < 300;
    if (usable) etype_ = std::move(made);
  }
  etype_leaf_ = {etype_.handle.get(), etype_.model, "etype"};
  if (kind <= 1) {
    memory_leaves_.assign(leaves.begin(), leaves.end());
  } else {
    memory_leaves_ = {basic, etype_leaf_};
  }
}

void Scenario::prepare_file() {
  note("set_size", 0);
  check(MPI_File_set_size(file_.handle, 0));
  if (!settings_.growth) {
    // More than any layout reaches: several tiles, the largest of them a 3-D grid.
    const std::int64_t size =
        frame_.origin + 2 * frame_.span_bytes + 100 * (ranks_ + 4) * etype_.model.extent();
    note("set_size", size);
    check(MPI_File_set_size(file_.handle, size));
    model_.resize(size);
  }
  if (common_.chance(1, 2)) write_background();
}

// Old bytes that must survive in every hole.
void Scenario::write_background() {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(common_.between(1, frame_.span_bytes)));
  common_.fill(bytes);
  note("background", frame_.origin, static_cast<std::int64_t>(bytes.size()));
  check(MPI_File_set_view(file_.handle, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  if (rank_ == 0) {
    check(MPI_File_write_at(file_.handle, frame_.origin, bytes.data(),
                            static_cast<int>(bytes.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  }
  model_.write_common(frame_.origin, bytes);
  MPI_Barrier(communicator_);
}

void Scenario::act() {
  const bool atomic = common_.chance(1, 8) && settings_.atomic_mode;
  if (!set_view()) return;
  if (atomic) {
    note("set_atomicity", 1);
    check(MPI_File_set_atomicity(file_.handle, 1));
  }
  const int steps = common_.small(2, 6);
  for (int i = 0; i < steps; ++i) step();
  if (atomic) {
    note("set_atomicity", 0);
    check(MPI_File_set_atomicity(file_.handle, 0));
  }
  finish_act();
}

// False on every rank if it failed on any: there is no point in going on.
bool Scenario::set_view() {
  LayoutBuilder builder(common_, own_, etype_leaf_, frame_);
  layout_ = builder.build();
  view_ = ViewModel(layout_.displacement, layout_.filetype.model);
  note("set_view", layout_.displacement, layout_.begin, layout_.end,
       settings_.describe ? std::string(layout_.name) + " etype " + etype_.recipe + " filetype " +
                                layout_.filetype.recipe
                          : std::string());
  int good = check(MPI_File_set_view(file_.handle, layout_.displacement, etype_.handle.get(),
                                     layout_.filetype.handle.get(), "native", MPI_INFO_NULL));
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, communicator_);
  if (good == 0) return false;
  position_ = 0;
  if (own_.chance(1, 2)) layout_.filetype.handle = Datatype();  // the file keeps its own
  if (own_.chance(1, 8)) check_view();
  return true;
}

void Scenario::check_view() {
  MPI_Offset displacement = -1;
  MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  char representation[MPI_MAX_DATAREP_STRING] = "";
  note("get_view");
  check(MPI_File_get_view(file_.handle, &displacement, &types[0], &types[1], representation));
  expect_equal<std::int64_t>("displacement of the view", displacement, layout_.displacement);
  const std::int64_t sizes[2] = {etype_.model.size, layout_.filetype.model.size};
  for (int i = 0; i < 2; ++i) {
    int size = -1;
    MPI_Type_size(types[i], &size);
    expect_equal<std::int64_t>(i == 0 ? "size of etype" : "size of filetype", size, sizes[i]);
    int integers = 0;
    int addresses = 0;
    int datatypes = 0;
    int combiner = 0;
    MPI_Type_get_envelope(types[i], &integers, &addresses, &datatypes, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&types[i]);
  }
}

void Scenario::step() {
  const bool collective_access = settings_.collective_only && common_.chance(4, 5);
  switch (collective_access ? common_.pick({5, 10}) : common_.small(0, 15)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return independent_step(true);
    case 5:
    case 6:
    case 7:
      access(true, true, common_.chance(1, 2));
      return agree_on_size();
    case 8:
    case 9:
      return independent_step(false);
    case 10:
    case 11:
      return access(false, true, common_.chance(1, 2));
    case 12:
      return set_size();
    case 13:
      return preallocate();
    case 14:
      note("sync");
      check(MPI_File_sync(file_.handle));
      return;
    default:
      return check_size();
  }
}

void Scenario::independent_step(bool writing) {
  if (settings_.collective_only) return;
  const int operations = own_.small(0, 3);
  others_write_ = writing;
  for (int i = 0; i < operations; ++i) random_operation(writing);
  others_write_ = false;
  agree_on_size();  // after reads too: the next step may change the size
}

// The size of a file is the one thing that ranks share. Strictly, a rank may count on the size that
// another one made only after a sync; every MPI-IO on one node shows it at once, and so must we.
void Scenario::agree_on_size() {
  std::int64_t size = model_.size();
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT64_T, MPI_MAX, communicator_);
  model_.resize(size);
}

void Scenario::set_size() {
  const std::int64_t room = frame_.span_bytes;
  const std::int64_t size =
      common_.chance(1, 8) ? 0 : frame_.origin + common_.between(0, room + room / 8);
  if (!settings_.growth) return;
  note("set_size", size);
  check(MPI_File_set_size(file_.handle, size));
  model_.resize(size);
}

void Scenario::preallocate() {
  const std::int64_t size = common_.between(1, 2 * frame_.span_bytes);
  // Of a sparse file it would fill gigabytes.
  if (frame_.origin > 100000 || !settings_.preallocation) return;
  note("preallocate", size);
  check(MPI_File_preallocate(file_.handle, size));
  model_.resize(std::max(size, model_.size()));
}

void Scenario::check_size() {
  MPI_Offset size = -1;
  note("get_size");
  check(MPI_File_get_size(file_.handle, &size));
  expect_equal<std::int64_t>("file size", size, model_.size());
  // Nobody may go on and write before everybody has looked.
  MPI_Barrier(communicator_);
}

void Scenario::finish_act() {
  note("sync");
  check(MPI_File_sync(file_.handle));
  const std::vector<std::uint8_t> mine = model_.changes();
  std::vector<std::uint8_t> all(mine.size());
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_BXOR,
                communicator_);
  model_.merge(all);
  if (file_.posix >= 0) check_file();
  MPI_Barrier(communicator_);
}

void Scenario::check_file() {
  note("compare file");
  struct stat status {};
  ::fstat(file_.posix, &status);
  expect_equal<std::int64_t>("size on disk", status.st_size, model_.size());
  const auto expected = model_.bytes();
  std::vector<std::uint8_t> found(expected.size());
  const ssize_t got = ::pread(file_.posix, found.data(), found.size(), frame_.origin);
  if (got != static_cast<ssize_t>(found.size())) return fail("file on disk is short");
  if (std::ranges::equal(found, expected)) return;
  const auto [bad, good] = std::ranges::mismatch(found, expected);
  int wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[i] ? 1 : 0;
  fail(std::to_string(wrong) + " wrong bytes on disk, the first at offset " +
       std::to_string(frame_.origin + (bad - found.begin())) + ": is " + std::to_string(*bad) +
       ", must be " + std::to_string(*good));
}

void Scenario::note(const char* name, std::int64_t a, std::int64_t b, std::int64_t c,
                    const std::string& type) {
  watchdog_note(name, static_cast<std::int64_t>(seed_),
                static_cast<std::int64_t>(operations_.size()));
  ++counts_.operations;
  operations_.push_back({name, {a, b, c}, type});
  if (settings_.describe) {
    std::fprintf(stderr, "[rank %d] #%zu %s %lld %lld %lld %s\n", rank_, operations_.size(), name,
                 static_cast<long long>(a), static_cast<long long>(b), static_cast<long long>(c),
                 type.c_str());
  }
}

bool Scenario::check(int error) {
  if (error == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  fail("error: " + std::string(text));
  return false;
}

void Scenario::fail(std::string what) {
  if (failures_.size() >= 5) return;
  const char* const name = operations_.empty() ? "start" : operations_.back().name;
  failures_.push_back("rank " + std::to_string(rank_) + ", operation #" +
                      std::to_string(operations_.size()) + " " + name + ": " + std::move(what));
}

std::string Scenario::operations() const {
  std::string text;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    text += "  #" + std::to_string(i + 1) + " " + operation.name;
    for (const std::int64_t value : operation.values) text += " " + std::to_string(value);
    text += " " + operation.type + "\n";
  }
  return text;
}

}  // namespace tributary::test
