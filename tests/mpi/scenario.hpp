// One random case: views that do not overlap between ranks, then a random sequence of operations,
// each compared with the model at once, and the whole file compared at the end.
//
// Ranks go through a case in steps. What kind of step comes next is common to all ranks, what a
// rank does in it is its own. No rank reads near the end of the file while another may write, so
// that every result can be predicted. Everything follows from the seed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file_model.hpp"
#include "layouts.hpp"
#include "random.hpp"
#include "random_types.hpp"

namespace tributary::test {

// What may be asked. The defaults are everything; the MPIs' own MPI-IO needs some mercy.
struct ScenarioSettings {
  bool empty_views = true;         // views without a single byte
  bool empty_parts = true;         // datatypes with zero-length blocks
  bool atomic_mode = true;         // MPI_File_set_atomicity
  bool absolute_addresses = true;  // MPI_BOTTOM
  bool pair_types = true;          // MPI_SHORT_INT and the like
  bool far_offsets = true;         // beyond 2 and 4 GiB, in sparse files
  bool seek_end = true;
  bool shifted_bounds = true;    // lower bounds other than zero
  bool growth = true;            // holes of a file that grows are zero, truncation
  bool wild_memory = true;       // memory types with negative or decreasing displacements
  bool preallocation = true;     // new bytes are zero (the standard leaves them undefined)
  bool reads_past_end = true;    // count in the status, bytes beyond untouched
  bool collective_only = false;  // no independent access at all
  int depth_max = 3;             // constructors within each other
  bool describe = false;         // keep the recipes of all types, print every operation

  // What the MPI's own MPI-IO gets right.
  static ScenarioSettings for_stock();
  // Leaves one of the above out, by its name; false if there is none of that name.
  bool leave_out(std::string_view name);
};

struct ScenarioFile {
  MPI_File handle = MPI_FILE_NULL;
  int posix = -1;  // the same file, opened by rank 0 for checking
};

struct ScenarioCounts {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
};

class Scenario {
 public:
  Scenario(const ScenarioSettings& settings, MPI_Comm communicator, ScenarioFile file,
           std::uint64_t seed);

  // Collective. False on every rank if anything was wrong on any.
  bool run();

  const std::vector<std::string>& failures() const { return failures_; }
  std::string operations() const;
  const ScenarioCounts& counts() const { return counts_; }
  std::uint64_t read_checksum() const { return checksum_; }

 private:
  // An operation as it is listed when something fails.
  struct Operation {
    const char* name;
    std::int64_t values[3];
    std::string type;
  };
  struct Access;
  class Buffer;

  // scenario.cpp: the course of a case
  void choose_etype();
  void prepare_file();
  void write_background();
  void act();
  bool set_view();
  void check_view();
  void step();
  void independent_step(bool writing);
  void agree_on_size();
  void set_size();
  void preallocate();
  void check_size();
  void finish_act();
  void check_file();

  // scenario_access.cpp: reading and writing, pointers
  void random_operation(bool writing);
  void access(bool write, bool collective, bool with_pointer);
  void choose_extent(Access& access);
  void perform(Access& access, void* base);
  void call(Access& access, void* base, int count, MPI_Datatype type);
  void model_write(const Access& access, Buffer& buffer);
  std::vector<std::uint8_t> model_read(const Access& access);
  void compare(const Buffer& found, const Buffer& expected);
  void check_status(const Access& access, std::int64_t bytes);
  void check_elements(const Access& access, std::int64_t bytes);
  void check_pointer(const Access& access);
  void random_seek();
  void seek(std::int64_t target);
  void check_position();
  void check_byte_offset();

  void note(const char* name, std::int64_t a = 0, std::int64_t b = 0, std::int64_t c = 0,
            const std::string& type = {});
  bool check(int error);  // an MPI call that must succeed
  void fail(std::string what);
  template <typename T>
  void expect_equal(const char* what, T found, T expected) {
    if (found != expected) {
      fail(std::string(what) + " is " + std::to_string(found) + ", must be " +
           std::to_string(expected));
    }
  }

  ScenarioSettings settings_;
  MPI_Comm communicator_;
  int rank_ = 0;
  int ranks_ = 1;
  ScenarioFile file_;
  std::uint64_t seed_;
  Random common_;
  Random own_;
  FileModel model_;
  RandomType etype_;
  std::vector<Leaf> memory_leaves_;
  Leaf etype_leaf_;
  LayoutFrame frame_;
  Layout layout_;
  ViewModel view_;
  std::int64_t position_ = 0;  // individual pointer, in etypes
  bool others_write_ = false;  // the end of the file may move at any time
  std::vector<Operation> operations_;
  std::vector<std::string> failures_;
  ScenarioCounts counts_;
  std::uint64_t checksum_ = 0;
};

}  // namespace tributary::test
