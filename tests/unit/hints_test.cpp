// The hint table, parsing, sources and values. Properties are checked over random values with a
// printed seed; TRIBUTARY_TEST_SEED replays one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "hints/environment.hpp"
#include "hints/parse.hpp"
#include "hints/reference.hpp"
#include "hints/sources.hpp"
#include "hints/table.hpp"
#include "hints/values.hpp"

#ifndef TRIBUTARY_SOURCE_DIR
#define TRIBUTARY_SOURCE_DIR (std::filesystem::path(__FILE__).parent_path() / "../..")
#endif

namespace tributary::hints {
namespace {

using Keys = std::map<std::string, std::string>;

Keys as_map(const std::vector<KeyValue>& pairs) {
  return {pairs.begin(), pairs.end()};
}

Keys as_map(const std::vector<Setting>& settings) {
  Keys keys;
  for (const Setting& setting : settings) keys[setting.key] = setting.value;
  return keys;
}

Setting info(std::string key, std::string value) {
  return {std::move(key), std::move(value), Origin::info, "MPI_Info"};
}

Values resolved(const std::vector<Setting>& settings) {
  Warnings warnings;
  Values values = resolve(settings, warnings);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  return values;
}

// The one warning that there must be.
std::string only(const Warnings& warnings) {
  EXPECT_EQ(warnings.size(), 1U);
  return warnings.empty() ? "" : warnings.front();
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

unsigned test_seed() {
  const auto given = environment("TRIBUTARY_TEST_SEED");
  return given ? static_cast<unsigned>(std::stoul(*given)) : std::random_device{}();
}

// ---- table --------------------------------------------------------------------------------

TEST(HintTable, RowIsAtItsId) {
  ASSERT_EQ(table().size(), static_cast<std::size_t>(Id::count));
  for (std::size_t i = 0; i < table().size(); ++i) {
    EXPECT_EQ(table()[i].id, static_cast<Id>(i)) << table()[i].name;
    EXPECT_EQ(&row(static_cast<Id>(i)), &table()[i]);
  }
}

TEST(HintTable, NamesAreUniqueAndOnlyTwoAliasesAreShared) {
  std::multiset<std::string_view> names;
  for (const Row& row : table()) {
    names.insert(row.name);
    for (const Alias& alias : row.aliases) names.insert(alias.name);
    EXPECT_LE(row.aliases.size(), 31U) << "aliases_used is 32 bits wide";
  }
  const std::set<std::string_view> shared{"collective_buffering", "direct_io"};
  for (const std::string_view name : names) {
    EXPECT_EQ(names.count(name), shared.contains(name) ? 2U : 1U) << name;
  }
}

TEST(HintTable, EveryRowIsComplete) {
  for (const Row& row : table()) {
    EXPECT_TRUE(row.sentence.ends_with('.')) << row.name;
    EXPECT_LE(row.low, row.high) << row.name;
    EXPECT_EQ(row.type == Type::choice, !row.choices.empty()) << row.name;
    if (row.initial.empty()) continue;
    const Result<Value> value = parse(row, row.initial);
    ASSERT_TRUE(value.ok()) << row.name;
    EXPECT_EQ(value->text, row.initial) << row.name << ": the default is not canonical";
  }
}

TEST(HintTable, TranslationsLeadToAllowedValues) {
  for (const Row& row : table()) {
    for (const Alias& alias : row.aliases) {
      for (const Translation& word : alias.values) {
        const Result<Value> value = parse(row, word.from, &alias);
        ASSERT_TRUE(value.ok()) << alias.name << "=" << word.from;
        EXPECT_EQ(value->text, word.to) << alias.name << "=" << word.from;
        EXPECT_EQ(spelling(value->text, alias), word.from) << alias.name;
      }
    }
  }
}

TEST(HintTable, EnvironmentNamesAreUniqueAndLeaveOurOtherVariablesAlone) {
  std::multiset<std::string> variables{"TRIBUTARY_HINTS", "TRIBUTARY_HINTS_FILE",
                                       "TRIBUTARY_FAULTS", "TRIBUTARY_TEST_SEED"};
  for (const Row& row : table()) {
    const std::string name = environment_name(row);
    EXPECT_EQ(name.empty(), row.scope == Scope::informational) << row.name;
    if (!name.empty()) variables.insert(name);
    for (const std::string_view variable : row.variables) variables.emplace(variable);
  }
  for (const std::string& name : variables) EXPECT_EQ(variables.count(name), 1U) << name;
  EXPECT_EQ(environment_name(row(Id::cb_nodes)), "TRIBUTARY_CB_NODES");
  EXPECT_EQ(environment_name(row(Id::tributary_strategy)), "TRIBUTARY_STRATEGY");
}

TEST(HintTable, KnowsEveryNameThatUsersKnow) {
  const std::map<std::string_view, Id> known{
      {"striping_unit", Id::striping_unit},
      {"stripe_size", Id::striping_unit},
      {"stripe_width", Id::striping_factor},
      {"num_aggregators", Id::cb_nodes},
      {"io_ompio_bytes_per_agg", Id::cb_buffer_size},
      {"num_threads", Id::io_ompio_num_threads},
      {"cray_cb_write_lock_mode", Id::tributary_lock_mode},
      {"cray_cb_nodes_multiplier", Id::romio_lustre_co_ratio},
      {"cb_node_list", Id::romio_aggregator_list}};
  for (const auto& [name, id] : known) {
    ASSERT_NE(find(name), nullptr) << name;
    EXPECT_EQ(find(name)->id, id) << name;
  }
  for (const std::string_view name : {"romio_cb_pfr",
                                      "romio_cb_fr_types",
                                      "romio_cb_fr_alignment",
                                      "romio_cb_ds_threshold",
                                      "romio_cb_alltoall",
                                      "romio_min_fdomain_size",
                                      "start_iodevice",
                                      "romio_no_indep_rw",
                                      "romio_synchronized_flush",
                                      "romio_visibility_immediate",
                                      "direct_read",
                                      "direct_write",
                                      "romio_lustre_coll_threshold",
                                      "romio_lustre_ds_in_coll",
                                      "collective_buffering",
                                      "romio_lustre_cb_lock_ahead_write",
                                      "romio_lustre_cb_lock_ahead_read",
                                      "romio_lustre_cb_lock_ahead_num_extents",
                                      "romio_lustre_cb_lock_ahead_flags",
                                      "grouping_option",
                                      "cycle_buffer_size",
                                      "cray_nocb_write_lock_mode",
                                      "cb_align",
                                      "direct_io",
                                      "aggregator_placement_stride",
                                      "abort_on_rw_error",
                                      "overstriping_ratio",
                                      "file_striping",
                                      "nc_num_aggrs_per_node",
                                      "romio_filesystem_type"}) {
    EXPECT_NE(find(name), nullptr) << name;
  }
  EXPECT_EQ(find("CB_NODES"), nullptr) << "info keys are case sensitive";
  EXPECT_EQ(find(""), nullptr);
}

TEST(HintTable, EnumsAreInTheOrderOfTheChoices) {
  Values values;
  const auto choice = [&](Id id, std::string_view text) {
    EXPECT_TRUE(values.set_parsed(id, text, Origin::info).ok()) << text;
  };
  choice(Id::romio_ds_read, "disable");
  EXPECT_EQ(values.choice<Switch>(Id::romio_ds_read), Switch::disable);
  choice(Id::romio_ds_read, "enable");
  EXPECT_EQ(values.choice<Switch>(Id::romio_ds_read), Switch::enable);
  choice(Id::romio_ds_read, "automatic");
  EXPECT_EQ(values.choice<Switch>(Id::romio_ds_read), Switch::automatic);
  choice(Id::abort_on_rw_error, "enable");
  EXPECT_EQ(values.choice<Switch>(Id::abort_on_rw_error), Switch::enable);
  for (const auto& [text, strategy] :
       std::map<std::string_view, Strategy>{{"automatic", Strategy::automatic},
                                            {"direct", Strategy::direct},
                                            {"packed", Strategy::packed},
                                            {"list", Strategy::list},
                                            {"sieve", Strategy::sieve},
                                            {"rmw", Strategy::rmw},
                                            {"mapped", Strategy::mapped}}) {
    choice(Id::tributary_strategy, text);
    EXPECT_EQ(values.choice<Strategy>(Id::tributary_strategy), strategy) << text;
  }
  choice(Id::tributary_sync, "visibility");
  EXPECT_EQ(values.choice<SyncMeaning>(Id::tributary_sync), SyncMeaning::visibility);
  choice(Id::tributary_lock_mode, "lock_ahead");
  EXPECT_EQ(values.choice<LockMode>(Id::tributary_lock_mode), LockMode::lock_ahead);
  choice(Id::tributary_lock_mode, "default");
  EXPECT_EQ(values.choice<LockMode>(Id::tributary_lock_mode), LockMode::default_lock);
  choice(Id::file_striping, "inherit");
  EXPECT_EQ(values.choice<FileStriping>(Id::file_striping), FileStriping::inherit);
}

// ---- parse --------------------------------------------------------------------------------

TEST(HintParse, Integers) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(*parse_integer("0"), 0);
  EXPECT_EQ(*parse_integer("-1"), -1);
  EXPECT_EQ(*parse_integer("007"), 7);
  EXPECT_EQ(*parse_integer("9223372036854775807"), kMax);
  EXPECT_EQ(*parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* bad : {"", "-", "+1", "1x", "9e99", "1.5", "0x10", "1 2", "--1", "16M",
                          "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_FALSE(parse_integer(bad).ok()) << bad;
  }
  EXPECT_TRUE(contains(parse_integer("9223372036854775808").error().message, "too large"));
}

TEST(HintParse, BytesArePowersOf1024) {
  const std::map<std::string_view, std::int64_t> good{{"0", 0},
                                                      {"16777216", 16777216},
                                                      {"16M", 16777216},
                                                      {"16m", 16777216},
                                                      {"16MB", 16777216},
                                                      {"16MiB", 16777216},
                                                      {"16 MiB", 16777216},
                                                      {"64k", 65536},
                                                      {"64K", 65536},
                                                      {"64KB", 65536},
                                                      {"64kib", 65536},
                                                      {"1GiB", 1LL << 30},
                                                      {"2g", 2LL << 30},
                                                      {"1T", 1LL << 40},
                                                      {"1P", 1LL << 50},
                                                      {"7E", 7LL << 60},
                                                      {"5B", 5},
                                                      {"0E", 0}};
  for (const auto& [text, bytes] : good) {
    ASSERT_TRUE(parse_bytes(text).ok()) << text;
    EXPECT_EQ(*parse_bytes(text), bytes) << text;
  }
  for (const char* bad : {"", "M", "-1", "-1M", "16Mi", "16X", "16MBB", "16Mb2", "1.5G", "9e99",
                          "8E", "9007199254740992K", "9223372036854775808", "16M 2"}) {
    EXPECT_FALSE(parse_bytes(bad).ok()) << bad;
  }
  EXPECT_EQ(*parse_bytes("9007199254740991K"), 9007199254740991LL << 10);
}

TEST(HintParse, Booleans) {
  for (const char* yes : {"true", "TRUE", "yes", "on", "1", "enable", "Enabled"}) {
    ASSERT_TRUE(parse_boolean(yes).ok()) << yes;
    EXPECT_TRUE(*parse_boolean(yes)) << yes;
  }
  for (const char* no : {"false", "False", "no", "OFF", "0", "disable", "disabled"}) {
    ASSERT_TRUE(parse_boolean(no).ok()) << no;
    EXPECT_FALSE(*parse_boolean(no)) << no;
  }
  for (const char* bad : {"", "2", "tru", "truee", "automatic"}) {
    EXPECT_FALSE(parse_boolean(bad).ok()) << bad;
  }
}

TEST(HintParse, ChoicesTakeSynonymsInAnyCase) {
  const Row& ds = row(Id::romio_ds_read);
  for (const auto& [given, text] :
       std::map<std::string_view, std::string_view>{{"ENABLE", "enable"},
                                                    {"true", "enable"},
                                                    {"1", "enable"},
                                                    {"Disable", "disable"},
                                                    {"0", "disable"},
                                                    {"off", "disable"},
                                                    {"auto", "automatic"},
                                                    {" enable ", "enable"}}) {
    const Result<Value> value = parse(ds, given);
    ASSERT_TRUE(value.ok()) << given;
    EXPECT_EQ(value->text, text) << given;
  }
  EXPECT_FALSE(parse(ds, "").ok());
  EXPECT_FALSE(parse(ds, "enable,disable").ok());
  EXPECT_FALSE(parse(row(Id::abort_on_rw_error), "automatic").ok());
}

TEST(HintParse, ListsHaveNoEmptyItems) {
  const Row& hosts = row(Id::cb_config_list);
  EXPECT_EQ(parse(hosts, "node1:2, node2 ,*:1")->text, "node1:2,node2,*:1");
  for (const char* bad : {"", ",", "a,", ",a", "a,,b", "a, ,b"}) {
    EXPECT_FALSE(parse(hosts, bad).ok()) << bad;
  }
}

TEST(HintParse, BoundsAreIncluded) {
  const Row& grouping = row(Id::io_ompio_grouping_option);
  EXPECT_TRUE(parse(grouping, "1").ok());
  EXPECT_TRUE(parse(grouping, "7").ok());
  EXPECT_TRUE(contains(parse(grouping, "0").error().message, "too small"));
  EXPECT_TRUE(contains(parse(grouping, "8").error().message, "too large"));
  EXPECT_TRUE(parse(row(Id::cb_buffer_size), "1T").ok());
  EXPECT_FALSE(parse(row(Id::cb_buffer_size), "1099511627777").ok());
  EXPECT_FALSE(parse(row(Id::cb_buffer_size), "0").ok());
  EXPECT_EQ(parse(row(Id::cb_nodes), "-1")->number, 0) << "OMPIO's automatic";
  EXPECT_EQ(parse(row(Id::striping_factor), "-1")->number, -1) << "all targets";
}

TEST(HintParse, ErrorsSayWhatIsAllowed) {
  EXPECT_EQ(parse(row(Id::io_ompio_grouping_option), "x").error().message,
            "'x' is not a number; allowed: an integer from 1 to 7");
  EXPECT_EQ(parse(row(Id::romio_cb_read), "perhaps").error().message,
            "'perhaps' is not a choice; allowed: one of disable, enable, automatic");
  EXPECT_EQ(parse(row(Id::direct_read), "perhaps").error().message,
            "'perhaps' is neither true nor false; allowed: true or false");
  const Row& locks = row(Id::tributary_lock_mode);
  EXPECT_EQ(parse(locks, "3", &locks.aliases[0]).error().message,
            "'3' is not a choice; allowed: one of 0, 1, 2");
  EXPECT_TRUE(contains(parse(row(Id::cb_buffer_size), "16Q").error().message,
                       "a size from 1 to 1099511627776 bytes"));
}

// ---- values -------------------------------------------------------------------------------

TEST(HintValues, DefaultsAreTheTables) {
  const Values values;
  EXPECT_EQ(values.integer(Id::cb_buffer_size), 16777216);
  EXPECT_EQ(values.integer(Id::ind_rd_buffer_size), 524288);
  EXPECT_EQ(values.integer(Id::ind_wr_buffer_size), 524288);
  EXPECT_EQ(values.integer(Id::tributary_sieve_gap), 8192);
  EXPECT_EQ(values.integer(Id::romio_lustre_cb_lock_ahead_num_extents), 500);
  EXPECT_EQ(values.text(Id::cb_config_list), "*:1");
  EXPECT_EQ(values.choice<Switch>(Id::romio_cb_write), Switch::automatic);
  EXPECT_EQ(values.choice<Strategy>(Id::tributary_strategy), Strategy::automatic);
  EXPECT_EQ(values.choice<SyncMeaning>(Id::tributary_sync), SyncMeaning::storage);
  EXPECT_FALSE(values.flag(Id::romio_no_indep_rw));
  EXPECT_FALSE(values.has_value(Id::cb_nodes));
  EXPECT_EQ(values.integer(Id::cb_nodes), 0);
  EXPECT_EQ(values.origin(Id::cb_buffer_size), Origin::default_value);
  for (const auto& [key, value] : values.effective()) EXPECT_FALSE(value.empty()) << key;
  EXPECT_FALSE(as_map(values.effective()).contains("cb_nodes"));
}

TEST(HintValues, LibrarySetsNumbersAndText) {
  Values values;
  values.set(Id::cb_nodes, 4, Origin::library);
  values.set(Id::romio_visibility_immediate, true, Origin::library);
  values.set(Id::romio_ds_read, static_cast<std::int64_t>(Switch::enable), Origin::library);
  values.set(Id::romio_filesystem_type, "NFS:", Origin::library);
  const Keys keys = as_map(values.effective());
  EXPECT_EQ(keys.at("cb_nodes"), "4");
  EXPECT_EQ(keys.at("romio_visibility_immediate"), "true");
  EXPECT_EQ(keys.at("romio_ds_read"), "enable");
  EXPECT_EQ(keys.at("romio_filesystem_type"), "NFS:");
  EXPECT_EQ(values.origin(Id::cb_nodes), Origin::library);
}

TEST(HintValues, EffectiveHasTheKeyThatTheUserGave) {
  const Values values = resolved({info("stripe_size", "4M"), info("cray_cb_write_lock_mode", "2"),
                                  info("direct_io", "1"), info("my_own_key", "x")});
  const Keys keys = as_map(values.effective());
  EXPECT_EQ(keys.at("striping_unit"), "4194304");
  EXPECT_EQ(keys.at("stripe_size"), "4194304");
  EXPECT_EQ(keys.at("tributary_lock_mode"), "lock_ahead");
  EXPECT_EQ(keys.at("cray_cb_write_lock_mode"), "2");
  EXPECT_EQ(keys.at("direct_read"), "true");
  EXPECT_EQ(keys.at("direct_write"), "true");
  EXPECT_EQ(keys.at("direct_io"), "true");
  EXPECT_FALSE(keys.contains("num_threads")) << "an alias that nobody used";
  EXPECT_FALSE(keys.contains("my_own_key")) << "unknown keys are not effective";
  EXPECT_EQ(keys.size(), values.effective().size()) << "a key came twice";
}

TEST(HintValues, DifferingLooksAtRowsThatMustAgreeOnly) {
  const Values root = resolved({info("cb_nodes", "2"), info("ind_rd_buffer_size", "1M")});
  Values mine = resolved({info("cb_nodes", "3"), info("romio_cb_read", "enable"),
                          info("ind_rd_buffer_size", "2M"), info("unknown", "mine")});
  const std::vector<Id> expected{Id::cb_nodes, Id::romio_cb_read};
  EXPECT_EQ(mine.differing(root), expected);
  EXPECT_EQ(root.differing(mine), expected);
  EXPECT_EQ(mine.adopt(root), expected);
  EXPECT_TRUE(mine.differing(root).empty());
  EXPECT_EQ(mine.integer(Id::cb_nodes), 2);
  EXPECT_EQ(mine.origin(Id::romio_cb_read), Origin::default_value);
  EXPECT_EQ(mine.integer(Id::ind_rd_buffer_size), 2 << 20) << "each rank's own";
  EXPECT_EQ(mine.unknown().size(), 1U);
}

TEST(HintValues, AdoptBringsTheHintsFileOfRankZero) {
  const auto file = [](std::string key, std::string value) {
    return Setting{std::move(key), std::move(value), Origin::hints_file, "file line 1"};
  };
  const Values root = resolved({file("ind_rd_buffer_size", "1M"), file("ind_wr_buffer_size", "1M"),
                                info("io_ompio_num_threads", "2")});
  Values mine = resolved({info("ind_wr_buffer_size", "2M")});
  EXPECT_TRUE(mine.adopt(root).empty()) << "ranks need not agree on these";
  EXPECT_EQ(mine.integer(Id::ind_rd_buffer_size), 1 << 20);
  EXPECT_EQ(mine.origin(Id::ind_rd_buffer_size), Origin::hints_file);
  EXPECT_EQ(mine.integer(Id::ind_wr_buffer_size), 2 << 20) << "this rank's own";
  EXPECT_EQ(mine.integer(Id::io_ompio_num_threads), 1) << "rank 0's own";
}

// A value that the row allows, or any bytes for text.
std::string random_value(const Row& row, std::mt19937& random) {
  switch (row.type) {
    case Type::boolean:
      return random() % 2 == 0 ? "true" : "off";
    case Type::integer:
    case Type::bytes:
      return std::to_string(std::uniform_int_distribution(row.low, row.high)(random));
    case Type::choice:
      return std::string(row.choices[random() % row.choices.size()]);
    case Type::list:
      return "host:" + std::to_string(random()) + ",*:1";
    case Type::text:
      break;
  }
  std::string text(random() % 20, '\0');
  for (char& c : text) c = static_cast<char>(random() % 256);
  return text;
}

Values random_values(std::mt19937& random) {
  Values values;
  for (const Row& row : table()) {
    if (random() % 2 == 0) continue;
    const std::size_t name = random() % (row.aliases.size() + 1);
    const Alias* alias = name == 0 ? nullptr : &row.aliases[name - 1];
    const auto origin = static_cast<Origin>(1 + random() % 4);
    EXPECT_TRUE(values.set_parsed(row.id, random_value(row, random), origin, alias).ok())
        << row.name;
  }
  for (unsigned i = random() % 4; i > 0; --i) {
    values.keep_unknown("key" + std::to_string(random()), random_value(Row{}, random));
  }
  return values;
}

TEST(HintValues, SerialisedValuesComeBackEqual) {
  const unsigned seed = test_seed();
  SCOPED_TRACE("TRIBUTARY_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  EXPECT_EQ(Values().serialise(), "") << "defaults need no message";
  for (int round = 0; round < 200; ++round) {
    const Values values = random_values(random);
    const Result<Values> back = Values::deserialise(values.serialise());
    ASSERT_TRUE(back.ok()) << back.error().message;
    ASSERT_EQ(*back, values);
    ASSERT_TRUE(back->differing(values).empty());
    ASSERT_EQ(back->effective(), values.effective());
    ASSERT_EQ(back->unknown(), values.unknown());
  }
}

TEST(HintValues, DamagedTextIsAnErrorOrOtherValuesButNeverACrash) {
  const unsigned seed = test_seed();
  SCOPED_TRACE("TRIBUTARY_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::string text = random_values(random).serialise();
    if (text.empty()) continue;
    text[random() % text.size()] = static_cast<char>(random() % 256);
    const Result<Values> back = Values::deserialise(text);
    if (!back.ok()) continue;
    for (const Row& row : table()) {
      if (row.type != Type::choice) continue;
      const auto index = static_cast<std::size_t>(back->integer(row.id));
      ASSERT_LT(index, row.choices.size()) << row.name;
    }
  }
}

std::string netstrings(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += std::to_string(field.size()) + ":" + field;
  return text;
}

TEST(HintValues, DeserialiseChecksEveryField) {
  const std::string id = std::to_string(static_cast<int>(Id::cb_buffer_size));
  const std::string count = std::to_string(static_cast<int>(Id::count));
  EXPECT_EQ(Values::deserialise(netstrings({"h", id, "3", "1", "64"}))->integer(Id::cb_buffer_size),
            64);
  for (const std::vector<std::string>& bad :
       std::vector<std::vector<std::string>>{{"x", id, "3", "0", "64"},
                                             {"h", count, "3", "0", "64"},
                                             {"h", "-1", "3", "0", "64"},
                                             {"h", "", "3", "0", "64"},
                                             {"h", id, "5", "0", "64"},
                                             {"h", id, "3", "4", "64"},
                                             {"h", id, "3", "0", "64K"},
                                             {"h", id, "3", "0", "0"},
                                             {"h", id, "3", "0", ""},
                                             {"h", id, "3", "0"},
                                             {"h"},
                                             {"u", "key"},
                                             {"h", id, "3", "0", "64", ""},
                                             {"u"},
                                             {""}}) {
    EXPECT_FALSE(Values::deserialise(netstrings(bad)).ok()) << netstrings(bad);
  }
  for (const char* bad : {"x", "1", "1:", "-1:h", "2:h", ":", "99999999999999999999:h"}) {
    EXPECT_FALSE(Values::deserialise(bad).ok()) << bad;
  }
}

TEST(HintValues, CutTextIsAnErrorUnlessCutBetweenRecords) {
  const std::string text = resolved({info("cb_nodes", "2")}).serialise();
  ASSERT_FALSE(text.empty());
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_FALSE(Values::deserialise(std::string_view(text).substr(0, size)).ok()) << size;
  }
}

// ---- resolve ------------------------------------------------------------------------------

TEST(HintResolve, LaterOriginWinsWhateverTheOrderGiven) {
  const Values values = resolved({info("cb_nodes", "4"),
                                  {"cb_nodes", "3", Origin::environment, "TRIBUTARY_HINTS"},
                                  {"cb_nodes", "2", Origin::hints_file, "file line 1"},
                                  {"cb_buffer_size", "2M", Origin::hints_file, "file line 2"},
                                  {"cb_buffer_size", "3M", Origin::hints_file, "file line 3"},
                                  {"striping_factor", "6", Origin::environment, "VARIABLE"},
                                  {"striping_factor", "5", Origin::hints_file, "file line 4"}});
  EXPECT_EQ(values.integer(Id::cb_nodes), 4);
  EXPECT_EQ(values.origin(Id::cb_nodes), Origin::info);
  EXPECT_EQ(values.integer(Id::cb_buffer_size), 3 << 20) << "the later line";
  EXPECT_EQ(values.origin(Id::cb_buffer_size), Origin::hints_file);
  EXPECT_EQ(values.integer(Id::striping_factor), 6);
  EXPECT_EQ(values.origin(Id::romio_ds_read), Origin::default_value);
}

TEST(HintResolve, OwnNameCountsMoreThanAliasInInfo) {
  for (const bool alias_first : {true, false}) {
    std::vector<Setting> settings{info("collective_buffering", "true"),
                                  info("romio_cb_write", "disable")};
    if (!alias_first) std::swap(settings[0], settings[1]);
    const Values values = resolved(settings);
    EXPECT_EQ(values.choice<Switch>(Id::romio_cb_read), Switch::enable);
    EXPECT_EQ(values.choice<Switch>(Id::romio_cb_write), Switch::disable);
    EXPECT_EQ(as_map(values.effective()).at("collective_buffering"), "true");
  }
}

TEST(HintResolve, AliasesTranslateTheirValues) {
  EXPECT_EQ(resolved({info("cray_cb_write_lock_mode", "1")}).text(Id::tributary_lock_mode),
            "group");
  EXPECT_EQ(resolved({info("cray_cb_write_lock_mode", "group")}).text(Id::tributary_lock_mode),
            "group");
  EXPECT_EQ(resolved({info("cray_nocb_write_lock_mode", "1")})
                .choice<Switch>(Id::tributary_local_aggregation),
            Switch::enable);
  EXPECT_EQ(resolved({info("collective_buffering", "FALSE")}).text(Id::romio_cb_read), "disable");
  EXPECT_EQ(resolved({info("num_aggregators", "-1")}).integer(Id::cb_nodes), 0);
}

TEST(HintResolve, BadValueWarnsAndKeepsThePreviousOne) {
  Warnings warnings;
  const std::vector<Setting> settings{
      {"cb_nodes", "2", Origin::hints_file, "/etc/romio-hints line 1"},
      {"cb_nodes", "x4", Origin::environment, "TRIBUTARY_HINTS"}};
  const Values values = resolve(settings, warnings);
  EXPECT_EQ(values.integer(Id::cb_nodes), 2);
  EXPECT_EQ(values.origin(Id::cb_nodes), Origin::hints_file);
  EXPECT_EQ(only(warnings),
            "hint cb_nodes=x4 from TRIBUTARY_HINTS is ignored: 'x4' is not a number; allowed: an "
            "integer from 0 to 2147483647");
}

TEST(HintResolve, BadValueOfSharedAliasWarnsOnce) {
  Warnings warnings;
  const std::vector<Setting> settings{info("direct_io", "perhaps")};
  const Values values = resolve(settings, warnings);
  EXPECT_TRUE(contains(only(warnings), "direct_io=perhaps from MPI_Info"));
  EXPECT_EQ(values, Values());
}

TEST(HintResolve, UnknownKeysAreKeptInOrder) {
  const Values values =
      resolved({info("zebra", "1"), info("CB_NODES", "2"), info("apple", "3"), info("zebra", "4")});
  const std::vector<KeyValue> expected{{"zebra", "4"}, {"CB_NODES", "2"}, {"apple", "3"}};
  EXPECT_EQ(values.unknown(), expected);
  EXPECT_EQ(values.effective(), Values().effective());
}

TEST(HintResolve, InformationalHintsAreTheLibrarys) {
  const Values values = resolved({info("romio_filesystem_type", "mine"), info("cb_node_list", "0"),
                                  info("romio_visibility_immediate", "nonsense")});
  EXPECT_EQ(values, Values());
}

TEST(HintResolve, LaterOnlyHintsOfWiderScopeChange) {
  Values values = resolved({info("cb_nodes", "2"), info("cb_buffer_size", "1M")});
  Warnings warnings;
  const std::vector<Setting> later{info("cb_nodes", "9"), info("striping_unit", "rubbish"),
                                   info("cb_buffer_size", "2M"), info("grouping_option", "4"),
                                   info("mine", "1")};
  apply(values, later, Moment::later, warnings);
  EXPECT_TRUE(warnings.empty()) << "an ignored hint is ignored silently";
  EXPECT_EQ(values.integer(Id::cb_nodes), 2);
  EXPECT_FALSE(values.has_value(Id::striping_unit));
  EXPECT_EQ(values.integer(Id::cb_buffer_size), 2 << 20);
  EXPECT_EQ(values.integer(Id::io_ompio_grouping_option), 4);
  EXPECT_EQ(values.unknown().size(), 1U);
}

// ---- patterns -----------------------------------------------------------------------------

Keys of_patterns(std::string_view text, std::string_view path) {
  Warnings warnings;
  Keys keys = as_map(parse_patterns(text, path, "VARIABLE", warnings));
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  return keys;
}

TEST(HintPatterns, MatchPathOrLastComponent) {
  constexpr std::string_view kText = "*.h5:cb_nodes=4:cb_buffer_size=16M,*:direct_io=true";
  const Keys h5{{"cb_nodes", "4"}, {"cb_buffer_size", "16M"}, {"direct_io", "true"}};
  EXPECT_EQ(of_patterns(kText, "out.h5"), h5);
  EXPECT_EQ(of_patterns(kText, "/scratch/run.1/out.h5"), h5);
  EXPECT_EQ(of_patterns(kText, "/scratch/out.nc"), (Keys{{"direct_io", "true"}}));
  EXPECT_EQ(of_patterns("out*:k=v", "/scratch/out.nc"), (Keys{{"k", "v"}})) << "last component";
  EXPECT_EQ(of_patterns("/scratch/*:k=v", "/scratch/a/b"), (Keys{{"k", "v"}})) << "whole path";
  EXPECT_TRUE(of_patterns("scratch*:k=v", "/scratch/a").empty());
  EXPECT_EQ(of_patterns("a?[0-9].dat:k=v", "ab7.dat"), (Keys{{"k", "v"}}));
  EXPECT_TRUE(of_patterns("a?[0-9].dat:k=v", "abc.dat").empty());
  EXPECT_EQ(of_patterns("*:k=1,*:k=2", "f"), (Keys{{"k", "2"}})) << "later wins";
}

TEST(HintPatterns, BackslashTakesAwayMeaning) {
  EXPECT_EQ(of_patterns(R"(*:cb_config_list=a\:1\,b\:*)", "f"),
            (Keys{{"cb_config_list", "a:1,b:*"}}));
  EXPECT_EQ(of_patterns(R"(a\:b\,c:k=v)", "a:b,c"), (Keys{{"k", "v"}}));
  EXPECT_EQ(of_patterns(R"(\*:k=v)", "*"), (Keys{{"k", "v"}}));
  EXPECT_TRUE(of_patterns(R"(\*:k=v)", "x").empty());
  EXPECT_EQ(of_patterns(R"(*:k=a\\b)", "f"), (Keys{{"k", R"(a\b)"}}));
  EXPECT_EQ(of_patterns(R"(*:k=v\)", "f"), (Keys{{"k", R"(v\)"}})) << "nothing follows";
  EXPECT_EQ(of_patterns("*:k=a=b", "f"), (Keys{{"k", "a=b"}})) << "only the first '=' parts";
}

TEST(HintPatterns, BlanksAndEmptyPartsDoNotMatter) {
  EXPECT_EQ(of_patterns(" * : k = v : , , *: :j=w:,", "f"), (Keys{{"k", "v"}, {"j", "w"}}));
  EXPECT_TRUE(of_patterns("", "f").empty());
  EXPECT_TRUE(of_patterns(" , ,", "f").empty());
}

TEST(HintPatterns, MalformedPartsAreSkippedWithAWarning) {
  const std::map<std::string, std::string> bad_parts{
      {"striping_factor=32", "'striping_factor=32' is not pattern:key=value"},
      {"*", "'*' is not pattern:key=value"},
      {"*:", "'*:' is not pattern:key=value"},
      {":k=v", "':k=v' is not pattern:key=value"},
      {"*:k", "'k' is not key=value"},
      {"*:k=", "'k=' is not key=value"},
      {"*:=v", "'=v' is not key=value"},
      {"nomatch:cb_nodes", "'cb_nodes' is not key=value"}};
  for (const auto& [bad, sentence] : bad_parts) {
    Warnings warnings;
    const std::string text = "*:before=1," + bad + ",*:after=2";
    const Keys keys = as_map(parse_patterns(text, "f", "VARIABLE", warnings));
    EXPECT_EQ(keys, (Keys{{"before", "1"}, {"after", "2"}})) << bad;
    EXPECT_EQ(only(warnings), "VARIABLE: " + sentence);
  }
  Warnings warnings;
  const Keys keys = as_map(parse_patterns("*:a=1:junk:b=2", "f", "VARIABLE", warnings));
  EXPECT_EQ(keys, (Keys{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(only(warnings), "VARIABLE: 'junk' is not key=value");
}

TEST(HintPatterns, AnyTextIsSafe) {
  const unsigned seed = test_seed();
  SCOPED_TRACE("TRIBUTARY_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view kBytes = "*:,=\\[]? ab1";
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 24, ' ');
    for (char& c : text) c = kBytes[random() % kBytes.size()];
    Warnings warnings;
    for (const Setting& setting : parse_patterns(text, "a/b1", "VARIABLE", warnings)) {
      EXPECT_FALSE(setting.key.empty()) << text;
      EXPECT_FALSE(setting.value.empty()) << text;
    }
  }
}

// ---- environment and files ----------------------------------------------------------------

// Each test begins without any of the variables that are looked at, and restores them.
class HintSources : public testing::Test {
 protected:
  HintSources() {
    for (const char* name :
         {"TRIBUTARY_HINTS", "TRIBUTARY_HINTS_FILE", "ROMIO_HINTS", "MPICH_MPIIO_HINTS"}) {
      forget(name);
    }
    for (const Row& row : table()) {
      if (const std::string name = environment_name(row); !name.empty()) forget(name);
      for (const std::string_view variable : row.variables) forget(std::string(variable));
    }
    folder_ = std::filesystem::temp_directory_path() /
              ("tributary_hints_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directory(folder_);
  }

  ~HintSources() override {
    for (const auto& [name, value] : saved_) {
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  std::string write_file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  Values all_sources(const std::vector<Setting>& more = {}) {
    std::vector<Setting> settings = from_hints_files(warnings_);
    const std::vector<Setting> variables = from_environment("/data/out.h5", warnings_);
    settings.insert(settings.end(), variables.begin(), variables.end());
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve(settings, warnings_);
  }

  Warnings warnings_;
  std::filesystem::path folder_;

 private:
  void forget(const std::string& name) {
    saved_[name] = environment(name.c_str());
    unsetenv(name.c_str());
  }

  std::map<std::string, std::optional<std::string>> saved_;
};

TEST_F(HintSources, EnvironmentIsEmptyOrSet) {
  EXPECT_EQ(environment("TRIBUTARY_HINTS"), std::nullopt);
  set("TRIBUTARY_HINTS", "");
  EXPECT_EQ(environment("TRIBUTARY_HINTS"), std::nullopt);
  set("TRIBUTARY_HINTS", "x");
  EXPECT_EQ(environment("TRIBUTARY_HINTS"), "x");
}

TEST_F(HintSources, FileHasKeyValueLinesAndComments) {
  const std::string path = write_file("hints",
                                      "# a comment\n"
                                      "cb_nodes 4\n"
                                      "\n"
                                      "  cb_buffer_size\t16M   # in bytes\r\n"
                                      "romio_cb_read=enable\n"
                                      "romio_cb_write = disable\n"
                                      "cb_config_list node#1:1,*:2\n"
                                      "lonely\n"
                                      "= 5\n"
                                      "last 1");
  const std::vector<Setting> settings = read_hints_file(path, warnings_);
  EXPECT_EQ(as_map(settings), (Keys{{"cb_nodes", "4"},
                                    {"cb_buffer_size", "16M"},
                                    {"romio_cb_read", "enable"},
                                    {"romio_cb_write", "disable"},
                                    {"cb_config_list", "node#1:1,*:2"},
                                    {"last", "1"}}));
  EXPECT_EQ(settings.front().where, path + " line 2");
  EXPECT_EQ(settings.front().origin, Origin::hints_file);
  ASSERT_EQ(warnings_.size(), 2U);
  EXPECT_EQ(warnings_[0], path + " line 8: 'lonely' is not 'key value'");
  EXPECT_EQ(warnings_[1], path + " line 9: '= 5' is not 'key value'");
}

TEST_F(HintSources, UnreadableFilesGiveOneWarning) {
  EXPECT_TRUE(read_hints_file((folder_ / "missing").string(), warnings_).empty());
  EXPECT_TRUE(contains(only(warnings_), "No such file")) << warnings_.front();
  warnings_.clear();
  EXPECT_TRUE(read_hints_file(folder_.string(), warnings_).empty());
  EXPECT_TRUE(contains(only(warnings_), folder_.string()));
  warnings_.clear();
  EXPECT_TRUE(read_hints_file("/dev/zero", warnings_).empty());
  EXPECT_EQ(only(warnings_), "'/dev/zero' is not a hints file");
  warnings_.clear();
  const std::string binary = write_file("binary", std::string("cb_nodes 1\n\0", 12));
  EXPECT_TRUE(read_hints_file(binary, warnings_).empty());
  EXPECT_EQ(only(warnings_), "'" + binary + "' is not a hints file");
  warnings_.clear();
  const std::string huge = write_file("huge", std::string((1U << 20) + 1, '#'));
  EXPECT_TRUE(read_hints_file(huge, warnings_).empty());
  EXPECT_EQ(only(warnings_), "'" + huge + "' is not a hints file");
  warnings_.clear();
  EXPECT_TRUE(read_hints_file(write_file("empty", ""), warnings_).empty());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(HintSources, NamedFilesInOrderElseTheSystemsFile) {
  Warnings ignored;
  EXPECT_EQ(as_map(from_hints_files(warnings_)),
            as_map(read_hints_file("/etc/romio-hints", ignored)));
  EXPECT_TRUE(warnings_.empty());
  set("TRIBUTARY_HINTS_FILE", write_file("ours", "cb_nodes 2\n"));
  set("ROMIO_HINTS", write_file("romio", "cb_nodes 1\nstriping_factor 8\nstriping_factor 9\n"));
  const Values values = resolve(from_hints_files(warnings_), warnings_);
  EXPECT_EQ(values.integer(Id::cb_nodes), 2) << "TRIBUTARY_HINTS_FILE wins";
  EXPECT_EQ(values.integer(Id::striping_factor), 8);
  EXPECT_EQ(values.origin(Id::striping_factor), Origin::hints_file);
}

TEST_F(HintSources, EachSourceOverridesTheOneBefore) {
  set("TRIBUTARY_HINTS_FILE", write_file("empty", ""));  // not the system's file
  const auto expect = [&](std::int64_t nodes, Origin origin) {
    const Values values = all_sources();
    EXPECT_EQ(values.integer(Id::cb_nodes), nodes);
    EXPECT_EQ(values.origin(Id::cb_nodes), origin);
  };
  expect(0, Origin::default_value);
  set("ROMIO_HINTS", write_file("romio", "cb_nodes 1\n"));
  expect(1, Origin::hints_file);
  set("TRIBUTARY_HINTS_FILE", write_file("ours", "cb_nodes 2\n"));
  expect(2, Origin::hints_file);
  set("OMPI_MCA_io_ompio_num_aggregators", "3");
  expect(3, Origin::environment);
  set("MPICH_MPIIO_HINTS", "*.h5:cb_nodes=4");
  expect(4, Origin::environment);
  set("TRIBUTARY_CB_NODES", "5");
  expect(5, Origin::environment);
  set("TRIBUTARY_HINTS", "/data/*:num_aggregators=6,*.nc:cb_nodes=60");
  expect(6, Origin::environment);
  const Values values = all_sources({info("cb_nodes", "7")});
  EXPECT_EQ(values.integer(Id::cb_nodes), 7);
  EXPECT_EQ(values.origin(Id::cb_nodes), Origin::info);
  EXPECT_TRUE(warnings_.empty()) << warnings_.front();
}

TEST_F(HintSources, OtherLibrariesVariablesSetOneHint) {
  set("MPICH_MPIIO_CB_ALIGN", "2");
  set("MPICH_MPIIO_ABORT_ON_RW_ERROR", "enable");
  set("ROMIO_PRINT_HINTS", "1");
  set("ROMIO_FSTYPE_FORCE", "nfs:");
  const Values values = resolve(from_environment("f", warnings_), warnings_);
  EXPECT_EQ(values.integer(Id::cb_align), 2);
  EXPECT_EQ(values.choice<Switch>(Id::abort_on_rw_error), Switch::enable);
  EXPECT_TRUE(values.flag(Id::tributary_hints_display));
  EXPECT_EQ(values.text(Id::tributary_filesystem), "nfs:");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(HintSources, WarningNamesTheVariable) {
  set("TRIBUTARY_SIEVE_GAP", "lots");
  set("TRIBUTARY_HINTS", "*:tributary_strategy=fast");
  const Values values = resolve(from_environment("f", warnings_), warnings_);
  EXPECT_EQ(values, Values());
  ASSERT_EQ(warnings_.size(), 2U);
  EXPECT_TRUE(contains(warnings_[0], "tributary_sieve_gap=lots from TRIBUTARY_SIEVE_GAP"));
  EXPECT_TRUE(contains(warnings_[1], "tributary_strategy=fast from TRIBUTARY_HINTS"));
  EXPECT_TRUE(contains(warnings_[1], "allowed: one of automatic, direct, packed"));
}

// ---- reference page -----------------------------------------------------------------------

TEST(HintReference, PageInTheTreeIsTheTables) {
  const std::filesystem::path path =
      std::filesystem::path(TRIBUTARY_SOURCE_DIR) / "docs" / "hints.md";
  std::ifstream file(path);
  ASSERT_TRUE(file.is_open()) << path;
  std::istringstream table_page(reference_markdown());
  std::string expected;
  std::string line;
  while (std::getline(table_page, expected)) {
    std::getline(file, line);
    ASSERT_EQ(line, expected) << "run tributary_hint_reference > docs/hints.md";
  }
  EXPECT_FALSE(std::getline(file, line)) << "more than the table has: " << line;
}

TEST(HintReference, EveryNameIsOnThePage) {
  const std::string page = reference_markdown();
  for (const Row& row : table()) {
    EXPECT_TRUE(contains(page, std::string("| `").append(row.name).append("` |"))) << row.name;
    EXPECT_TRUE(contains(page, row.sentence)) << row.name;
    for (const Alias& alias : row.aliases) {
      EXPECT_TRUE(contains(page, std::string("`").append(alias.name).append("`"))) << alias.name;
    }
  }
}

}  // namespace
}  // namespace tributary::hints
