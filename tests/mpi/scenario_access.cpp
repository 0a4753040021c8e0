// Reading and writing through the view, with every result checked at once.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "scenario.hpp"

namespace tributary::test {

struct Scenario::Access {
  bool write = false;
  bool collective = false;
  bool with_pointer = false;
  std::int64_t offset = 0;  // in etypes
  int count = 0;
  RandomType type;
  bool absolute = false;
  bool with_status = true;
  MPI_Status status{};
  bool succeeded = false;

  std::int64_t bytes() const { return count * type.model.size; }
};

// Memory for `count` copies of a type, with room on both sides that nobody may touch.
class Scenario::Buffer {
 public:
  Buffer(const TypeModel& type, std::int64_t count) : type_(&type), count_(count) {
    const std::int64_t last = std::max<std::int64_t>(count - 1, 0) * type.extent();
    low_ = type.true_lb() + std::min<std::int64_t>(last, 0);
    const std::int64_t high = type.true_ub() + std::max<std::int64_t>(last, 0);
    bytes_.resize(static_cast<std::size_t>(high - low_ + 2 * guard));
  }
  void fill(Random& random) { random.fill(bytes_); }
  void* base() { return bytes_.data() + guard - low_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::int64_t displacement(std::size_t index) const {
    return static_cast<std::int64_t>(index) - guard + low_;
  }

  // Calls piece(pointer, length) for the first `length` data bytes in type-map order.
  template <typename Piece>
  void for_pieces(std::int64_t length, Piece piece) {
    std::uint8_t* at = bytes_.data() + guard - low_;
    for (std::int64_t copy = 0; copy < count_ && length > 0; ++copy, at += type_->extent()) {
      for (const Run& run : type_->runs) {
        const std::int64_t here = std::min(length, run.length);
        if (here > 0) piece(at + run.offset, here);
        length -= here;
      }
    }
  }
  std::vector<std::uint8_t> gather(std::int64_t length) {
    std::vector<std::uint8_t> data;
    for_pieces(length, [&](const std::uint8_t* from, std::int64_t n) {
      data.insert(data.end(), from, from + n);
    });
    return data;
  }
  void scatter(const std::vector<std::uint8_t>& data) {
    const std::uint8_t* from = data.data();
    for_pieces(static_cast<std::int64_t>(data.size()), [&](std::uint8_t* to, std::int64_t n) {
      std::memcpy(to, from, static_cast<std::size_t>(n));
      from += n;
    });
  }

 private:
  static constexpr std::int64_t guard = 64;
  const TypeModel* type_;
  std::int64_t count_;
  std::int64_t low_ = 0;
  std::vector<std::uint8_t> bytes_;
};

void Scenario::random_operation(bool writing) {
  switch (own_.small(0, 9)) {
    case 0:
    case 1:
    case 2:
      return access(writing, false, false);
    case 3:
    case 4:
    case 5:
      return access(writing, false, true);
    case 6:
      return access(false, false, own_.chance(1, 2));
    case 7:
      return random_seek();
    case 8:
      return check_byte_offset();
    default:
      return check_position();
  }
}

void Scenario::access(bool write, bool collective, bool with_pointer) {
  Access access;
  access.write = write;
  access.collective = collective;
  access.with_pointer = with_pointer;
  access.with_status = own_.chance(7, 8);
  choose_extent(access);
  Buffer buffer(access.type.model, access.count);
  buffer.fill(own_);
  Buffer expected = buffer;
  static const char* const names[] = {"read_at",  "read",  "read_at_all",  "read_all",
                                      "write_at", "write", "write_at_all", "write_all"};
  note(names[(write ? 4 : 0) + (collective ? 2 : 0) + (with_pointer ? 1 : 0)], access.offset,
       access.count, access.bytes(), access.type.recipe);
  counts_.bytes += access.bytes();
  perform(access, buffer.base());
  std::int64_t done = access.bytes();
  if (write) {
    model_write(access, buffer);
  } else {
    const std::vector<std::uint8_t> data = model_read(access);
    expected.scatter(data);
    done = static_cast<std::int64_t>(data.size());
  }
  if (!access.succeeded) return;
  compare(buffer, expected);
  check_status(access, done);
  check_pointer(access);
}

// Where to start, how much, and a memory type for it.
void Scenario::choose_extent(Access& access) {
  const std::int64_t begin = layout_.begin;
  std::int64_t end = layout_.end;
  if (!access.write && (others_write_ || !settings_.reads_past_end)) {  // stay below the known size
    end = std::min(end, view_.bytes_below(model_.size()) / etype_.model.size);
    end = std::max(end, begin);
  }
  if (!access.with_pointer) {
    access.offset = begin + own_.skewed(end - begin);
  } else {
    if (position_ < begin || position_ > end) seek(begin + own_.skewed(end - begin));
    access.offset = position_;
  }
  const std::int64_t esize = etype_.model.size;
  const std::int64_t cap = own_.pick({16, 256, 1024, 4096, 32768});
  const std::int64_t room = std::min(end - access.offset, std::max<std::int64_t>(cap / esize, 1));
  TypeOptions options = frame_.type_options;
  options.may_overlap = access.write && settings_.wild_memory && own_.chance(1, 3);
  options.file = !settings_.wild_memory;
  options.bytes_max = std::min(options.bytes_max, std::max(room, std::int64_t{1}) * esize);
  TypeGenerator generator(own_, options, memory_leaves_);
  access.type = generator.make_sized(esize);
  if (!settings_.wild_memory && access.type.model.true_lb() != 0) {
    access.type = generator.contiguous(generator.leaf(), static_cast<int>(esize));
    access.type.handle.commit();
  }
  const std::int64_t copies_max = room * esize / access.type.model.size;
  std::int64_t count =
      own_.chance(1, 12) ? 0 : own_.between(std::min<std::int64_t>(1, copies_max), copies_max);
  if (count > 1 && !options.may_overlap && overlaps(access.type.model, count)) count = 1;
  access.count = static_cast<int>(count);
}

// Now and then through MPI_BOTTOM and a type of absolute addresses.
void Scenario::perform(Access& access, void* base) {
  if (!settings_.absolute_addresses || !own_.chance(1, 24)) {
    call(access, base, access.count, access.type.handle.get());
    return;
  }
  MPI_Aint address = 0;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Get_address(base, &address);
  MPI_Type_create_hindexed(1, &access.count, &address, access.type.handle.get(), &handle);
  Datatype absolute = Datatype::owned(handle);
  absolute.commit();
  access.absolute = true;
  call(access, MPI_BOTTOM, 1, absolute.get());
}

void Scenario::call(Access& access, void* base, int count, MPI_Datatype type) {
  MPI_Status* const status = access.with_status ? &access.status : MPI_STATUS_IGNORE;
  const MPI_File file = file_.handle;
  const MPI_Offset offset = access.offset;
  int error = MPI_SUCCESS;
  if (access.with_pointer && access.write) {
    error = access.collective ? MPI_File_write_all(file, base, count, type, status)
                              : MPI_File_write(file, base, count, type, status);
  } else if (access.with_pointer) {
    error = access.collective ? MPI_File_read_all(file, base, count, type, status)
                              : MPI_File_read(file, base, count, type, status);
  } else if (access.write) {
    error = access.collective ? MPI_File_write_at_all(file, offset, base, count, type, status)
                              : MPI_File_write_at(file, offset, base, count, type, status);
  } else {
    error = access.collective ? MPI_File_read_at_all(file, offset, base, count, type, status)
                              : MPI_File_read_at(file, offset, base, count, type, status);
  }
  access.succeeded = check(error);
}

void Scenario::model_write(const Access& access, Buffer& buffer) {
  const std::vector<std::uint8_t> data = buffer.gather(access.bytes());
  const std::uint8_t* from = data.data();
  view_.for_pieces(access.offset * etype_.model.size, access.bytes(),
                   [&](std::int64_t offset, std::int64_t length) {
                     model_.write(offset, {from, static_cast<std::size_t>(length)});
                     from += length;
                   });
}

// What is there of the wanted bytes; less than wanted at the end of the file.
std::vector<std::uint8_t> Scenario::model_read(const Access& access) {
  const std::int64_t from = access.offset * etype_.model.size;
  const std::int64_t there = view_.bytes_below(model_.size()) - from;
  const std::int64_t bytes = std::clamp<std::int64_t>(there, 0, access.bytes());
  std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes));
  std::uint8_t* to = data.data();
  view_.for_pieces(from, bytes, [&](std::int64_t offset, std::int64_t length) {
    model_.read(offset, {to, static_cast<std::size_t>(length)});
    to += length;
  });
  return data;
}

void Scenario::compare(const Buffer& found, const Buffer& expected) {
  const auto& is = found.bytes();
  const auto& must = expected.bytes();
  for (std::size_t i = 0; i + 8 <= is.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &is[i], sizeof word);
    checksum_ = (checksum_ ^ word) * 0x9e3779b97f4a7c15U;
  }
  if (is == must) return;
  const auto [bad, good] = std::ranges::mismatch(is, must);
  const std::int64_t at = found.displacement(static_cast<std::size_t>(bad - is.begin()));
  fail("memory at displacement " + std::to_string(at) + " is " + std::to_string(*bad) +
       ", must be " + std::to_string(*good));
}

void Scenario::check_status(const Access& access, std::int64_t bytes) {
  if (!access.with_status) return;
  int count = -1;
  MPI_Get_count(&access.status, MPI_BYTE, &count);
  expect_equal<std::int64_t>("bytes in the status", count, bytes);
  if (access.absolute) return;
  const TypeModel& type = access.type.model;
  MPI_Get_count(&access.status, access.type.handle.get(), &count);
  const bool whole = bytes % type.size == 0;
  expect_equal<std::int64_t>("MPI_Get_count", count, whole ? bytes / type.size : MPI_UNDEFINED);
  check_elements(access, bytes);
}

// MPICH 4.0 aborts in MPI_Get_elements for many derived types: nothing that an MPI-IO could mend.
void Scenario::check_elements([[maybe_unused]] const Access& access,
                              [[maybe_unused]] std::int64_t bytes) {
#ifndef MPICH_VERSION
  const TypeModel& type = access.type.model;
  std::int64_t elements = bytes / type.size * static_cast<std::int64_t>(type.basics.size());
  std::int64_t rest = bytes % type.size;
  for (std::size_t i = 0; rest > 0; ++i, ++elements) rest -= type.basics[i];
  // The standard does not say what an element is that is only half there.
  if (rest < 0 || type.has_pair) return;
  int count = -1;
  MPI_Count large = -1;
  MPI_Get_elements(&access.status, access.type.handle.get(), &count);
  MPI_Get_elements_x(&access.status, access.type.handle.get(), &large);
  expect_equal<std::int64_t>("MPI_Get_elements", count, elements);
  expect_equal<std::int64_t>("MPI_Get_elements_x", large, elements);
#endif
}

// The pointer moves by what was asked for, also where the file ended before (MPI-4.0, 14.4.1).
void Scenario::check_pointer(const Access& access) {
  if (access.with_pointer) position_ += access.bytes() / etype_.model.size;
  MPI_Offset found = -1;
  check(MPI_File_get_position(file_.handle, &found));
  expect_equal<std::int64_t>("file pointer", found, position_);
}

void Scenario::random_seek() {
  const std::int64_t target = layout_.begin + own_.skewed(layout_.end - layout_.begin);
  const bool from_end = own_.chance(1, 3) && settings_.seek_end;
  if (!from_end || others_write_ || view_.empty()) return seek(target);
  // The end of the file is the first etype of the view that starts behind the last byte.
  const std::int64_t esize = etype_.model.size;
  const std::int64_t last = (view_.bytes_below(model_.size()) + esize - 1) / esize;
  note("seek_end", target - last);
  check(MPI_File_seek(file_.handle, target - last, MPI_SEEK_END));
  position_ = target;
  check_position();
}

void Scenario::seek(std::int64_t target) {
  const bool relative = own_.chance(1, 2);
  note(relative ? "seek_cur" : "seek_set", relative ? target - position_ : target);
  check(relative ? MPI_File_seek(file_.handle, target - position_, MPI_SEEK_CUR)
                 : MPI_File_seek(file_.handle, target, MPI_SEEK_SET));
  position_ = target;
}

void Scenario::check_position() {
  MPI_Offset found = -1;
  note("get_position");
  check(MPI_File_get_position(file_.handle, &found));
  expect_equal<std::int64_t>("file pointer", found, position_);
}

void Scenario::check_byte_offset() {
  if (view_.empty()) return;
  const std::int64_t offset = own_.skewed(2 * layout_.end);
  MPI_Offset found = -1;
  note("get_byte_offset", offset);
  check(MPI_File_get_byte_offset(file_.handle, offset, &found));
  expect_equal<std::int64_t>("byte offset", found, view_.file_offset(offset * etype_.model.size));
}

}  // namespace tributary::test
