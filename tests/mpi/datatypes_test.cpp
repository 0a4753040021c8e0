// Datatypes by hand: each writes or reads through a type whose bytes are known without the
// library. property_test.cpp tries random ones; here are those that are old or odd, and
// large_test.cpp has those that are huge.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "own_file.hpp"

namespace tributary::test {
namespace {

using Datatypes = OwnFile;

template <typename T>
std::string raw(const T& value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename T>
std::string raw_list(const std::vector<T>& values) {
  std::string bytes;
  for (const T& value : values) bytes += raw(value);
  return bytes;
}

// --- distributed arrays --------------------------------------------------------------------

struct Dimension {
  int elements;
  int processes;
  int distribution;
  int argument;

  // MPI-4.0 section 5.1.4, one element at a time.
  bool owns(int coordinate, int element) const {
    if (distribution == MPI_DISTRIBUTE_NONE) return true;
    int block = argument;
    if (argument == MPI_DISTRIBUTE_DFLT_DARG)
      block = distribution == MPI_DISTRIBUTE_BLOCK ? (elements + processes - 1) / processes : 1;
    return element / block % processes == coordinate;
  }
};

// Element numbers in file order that belong to a process of a two-dimensional grid.
std::vector<int> owned(const std::array<Dimension, 2>& d, int process, int order) {
  const int at[] = {process / d[1].processes, process % d[1].processes};  // the grid is in C order
  std::vector<int> elements;
  for (int number = 0; number < d[0].elements * d[1].elements; ++number) {
    const int i = order == MPI_ORDER_C ? number / d[1].elements : number % d[0].elements;
    const int j = order == MPI_ORDER_C ? number % d[1].elements : number / d[0].elements;
    if (d[0].owns(at[0], i) && d[1].owns(at[1], j)) elements.push_back(number);
  }
  return elements;
}

std::vector<Dimension> all_distributions(int elements, int processes) {
  const int enough = (elements + processes - 1) / processes;
  return {{elements, processes, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG},
          {elements, processes, MPI_DISTRIBUTE_BLOCK, enough + 1},
          {elements, processes, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG},
          {elements, processes, MPI_DISTRIBUTE_CYCLIC, 2},
          {elements, processes, MPI_DISTRIBUTE_CYCLIC, enough + 3},
          {elements, 1, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG}};
}

class Darray : public Datatypes {
 protected:
  // Writes ints through the type and looks for each at its place.
  void check(const std::array<Dimension, 2>& d, int process, int order) {
    const int elements[] = {d[0].elements, d[1].elements};
    const int distributions[] = {d[0].distribution, d[1].distribution};
    const int arguments[] = {d[0].argument, d[1].argument};
    const int processes[] = {d[0].processes, d[1].processes};
    const TempType type([&](MPI_Datatype* made) {
      MPI_Type_create_darray(processes[0] * processes[1], process, 2, elements, distributions,
                             arguments, processes, order, MPI_INT, made);
    });
    const std::vector<int> mine = owned(d, process, order);
    std::vector<int> expected(static_cast<std::size_t>(2 * elements[0] * elements[1]), -1);
    std::vector<int> data(2 * mine.size());
    std::iota(data.begin(), data.end(), 100);
    for (std::size_t tile = 0; tile < 2; ++tile)
      for (std::size_t i = 0; i < mine.size(); ++i)
        expected[tile * expected.size() / 2 + static_cast<std::size_t>(mine[i])] =
            data[tile * mine.size() + i];
    put(raw_list(std::vector<int>(expected.size(), -1)));
    view(0, MPI_INT, type.get());
    write(data.data(), static_cast<int>(data.size()), MPI_INT);
    expect_bytes(raw_list(expected));
  }
};

TEST_F(Darray, EveryDistribution) {
  for (const Dimension& rows : all_distributions(7, 3))
    for (const Dimension& columns : all_distributions(10, 2))
      for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN})
        for (int process = 0; process < rows.processes * columns.processes; ++process) {
          SCOPED_TRACE(::testing::Message()
                       << "rows " << rows.distribution << "(" << rows.argument << ") columns "
                       << columns.distribution << "(" << columns.argument << ") process " << process
                       << " order " << order);
          check({rows, columns}, process, order);
          if (HasFailure()) return;
        }
}

// --- layouts of C and of MPI ---------------------------------------------------------------

struct Particle {
  char kind;
  double mass;
  short spin[3];
};

MPI_Datatype particle_type() {
  const int lengths[] = {1, 1, 3};
  const MPI_Aint places[] = {offsetof(Particle, kind), offsetof(Particle, mass),
                             offsetof(Particle, spin)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype bare = MPI_DATATYPE_NULL;
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &bare);
  MPI_Type_create_resized(bare, 0, sizeof(Particle), &whole);
  MPI_Type_free(&bare);
  MPI_Type_commit(&whole);
  return whole;
}

TEST_F(Datatypes, StructWithPadding) {
  MPI_Datatype type = particle_type();
  std::vector<Particle> particles(5);
  std::string packed;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    std::memset(static_cast<void*>(&particles[i]), 0x55, sizeof(Particle));
    particles[i].kind = static_cast<char>('a' + i);
    particles[i].mass = 1.5 * static_cast<double>(i);
    for (std::size_t j = 0; j < 3; ++j) particles[i].spin[j] = static_cast<short>(10 * i + j);
    packed += raw(particles[i].kind) + raw(particles[i].mass) + raw(particles[i].spin[0]) +
              raw(particles[i].spin[1]) + raw(particles[i].spin[2]);
  }
  write(particles.data(), 5, type);
  expect_bytes(packed);
  std::vector<Particle> found(5);
  std::memset(static_cast<void*>(found.data()), 0x55, 5 * sizeof(Particle));
  read(found.data(), 5, type);
  EXPECT_EQ(std::memcmp(found.data(), particles.data(), 5 * sizeof(Particle)), 0);
  // As a file type: the padding in the file stays.
  put(std::string(5 * sizeof(Particle), '.'));
  view(0, MPI_BYTE, type);
  write(packed.data(), static_cast<int>(packed.size()), MPI_BYTE);
  std::string image(5 * sizeof(Particle), '.');
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string one = packed.substr(15 * i, 15);
    image.replace(sizeof(Particle) * i + offsetof(Particle, kind), 1, one.substr(0, 1));
    image.replace(sizeof(Particle) * i + offsetof(Particle, mass), 8, one.substr(1, 8));
    image.replace(sizeof(Particle) * i + offsetof(Particle, spin), 6, one.substr(9, 6));
  }
  expect_bytes(image);
  MPI_Type_free(&type);
}

TEST_F(Datatypes, PairTypes) {
  struct ShortInt {
    short value;
    int index;
  };
  std::vector<ShortInt> pairs{{1, 2}, {3, 4}, {5, 6}};
  write(pairs.data(), 3, MPI_SHORT_INT);
  std::string packed;
  for (const ShortInt& pair : pairs) packed += raw(pair.value) + raw(pair.index);
  expect_bytes(packed);
  put(std::string(24, '.'));
  view(0, MPI_BYTE, MPI_SHORT_INT);
  write(packed.data(), 18, MPI_BYTE);
  std::string image;
  for (const ShortInt& pair : pairs) image += raw(pair.value) + ".." + raw(pair.index);
  expect_bytes(image);
  // Room behind the int.
  struct DoubleInt {
    double value;
    int index;
  };
  std::vector<DoubleInt> doubles{{0.5, 7}, {2.5, 8}};
  put("");
  view(0, MPI_BYTE, MPI_BYTE);
  write(doubles.data(), 2, MPI_DOUBLE_INT);
  expect_bytes(raw(0.5) + raw(7) + raw(2.5) + raw(8));
}

TEST_F(Datatypes, ResizedWithALowerBound) {
  const TempType type([](MPI_Datatype* made) { MPI_Type_create_resized(MPI_INT, -4, 12, made); });
  std::vector<int> memory(9);
  std::iota(memory.begin(), memory.end(), 0);
  write(memory.data() + 1, 3, type.get());
  expect_bytes(raw_list<int>({1, 4, 7}));
  put(std::string(40, '.'));
  view(2, MPI_INT, type.get());
  write(memory.data(), 3, MPI_INT);
  expect_bytes(".." + raw(0) + "........" + raw(1) + "........" + raw(2) + std::string(10, '.'));
}

// The columns of a matrix: each tile goes forward, the next one starts between its pieces.
TEST_F(Datatypes, TilesThatInterleave) {
  const TempType column([](MPI_Datatype* made) {
    MPI_Datatype bare = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, 4, MPI_SHORT, &bare);
    MPI_Type_create_resized(bare, 0, sizeof(short), made);
    MPI_Type_free(&bare);
  });
  put(std::string(24, '.'));
  view(0, MPI_SHORT, column.get());
  const std::vector<short> by_columns{11, 21, 31, 12, 22, 32, 13, 23, 33};
  write(by_columns.data(), 9, MPI_SHORT);
  expect_bytes(raw_list<short>({11, 12, 13}) + ".." + raw_list<short>({21, 22, 23}) + ".." +
               raw_list<short>({31, 32, 33}) + "..");
  std::vector<short> found(9, 0);
  read(found.data(), 9, MPI_SHORT);
  EXPECT_EQ(found, by_columns);
}

TEST_F(Datatypes, BackwardsThroughMemory) {
  std::vector<int> memory(10);
  std::iota(memory.begin(), memory.end(), 0);
  const TempType down([](MPI_Datatype* made) { MPI_Type_create_hvector(4, 1, -8, MPI_INT, made); });
  write(&memory[8], 1, down.get());
  expect_bytes(raw_list<int>({8, 6, 4, 2}));
  std::vector<int> found(10, -1);
  read(&found[8], 1, down.get());
  EXPECT_EQ(found, (std::vector<int>{-1, -1, 2, -1, 4, -1, 6, -1, 8, -1}));
}

TEST_F(Datatypes, TheSameMemoryTwice) {
  std::vector<int> memory{1, 2, 3, 4};
  const TempType twice([](MPI_Datatype* made) { MPI_Type_create_hvector(3, 2, 4, MPI_INT, made); });
  write(memory.data(), 1, twice.get());
  expect_bytes(raw_list<int>({1, 2, 2, 3, 3, 4}));
  const TempType stay([](MPI_Datatype* made) { MPI_Type_create_resized(MPI_INT, 0, 0, made); });
  put("");
  write(&memory[2], 4, stay.get());
  expect_bytes(raw_list<int>({3, 3, 3, 3}));
}

TEST_F(Datatypes, AbsoluteAddresses) {
  double number = 2.75;
  std::vector<int> list{5, 6, 7};
  MPI_Aint places[2];
  MPI_Get_address(&number, &places[0]);
  MPI_Get_address(list.data(), &places[1]);
  const int lengths[] = {1, 3};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  const TempType absolute(
      [&](MPI_Datatype* made) { MPI_Type_create_struct(2, lengths, places, types, made); });
  write(MPI_BOTTOM, 1, absolute.get());
  expect_bytes(raw(2.75) + raw_list<int>({5, 6, 7}));
  number = 0;
  list.assign(3, 0);
  read(MPI_BOTTOM, 1, absolute.get());
  EXPECT_EQ(number, 2.75);
  EXPECT_EQ(list, (std::vector<int>{5, 6, 7}));
}

// --- lifetimes -----------------------------------------------------------------------------

TEST_F(Datatypes, InnerTypesMayBeGone) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_SHORT, &pair);
  MPI_Type_create_hvector(2, 1, 10, pair, &rows);
  MPI_Type_free(&pair);
  MPI_Type_commit(&rows);
  MPI_Type_dup(rows, &copy);
  view(0, MPI_SHORT, copy);
  MPI_Type_free(&rows);
  MPI_Type_free(&copy);
  // Other types take their places.
  for (int i = 0; i < 50; ++i)
    TempType([](MPI_Datatype* made) { MPI_Type_vector(3, 2, 9, MPI_INT, made); });
  put(std::string(16, '.'));
  write("aabbccdd", 4, MPI_SHORT);
  expect_bytes("aa..bb....cc..dd");
}

// A type that was used is freed and another is made, often with the same handle.
TEST_F(Datatypes, HandlesAreReused) {
  for (int stride = 2; stride < 40; ++stride) {
    const TempType type([&](MPI_Datatype* made) { MPI_Type_vector(3, 1, stride, MPI_BYTE, made); });
    const auto step = static_cast<std::size_t>(stride);
    const std::string memory = pattern(2 * step + 1, static_cast<unsigned>(stride));
    put("");
    view(0, MPI_BYTE, MPI_BYTE);
    write(memory.data(), 1, type.get());
    expect_bytes({memory[0], memory[step], memory[2 * step]});
  }
}

}  // namespace
}  // namespace tributary::test
