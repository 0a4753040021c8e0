#include "file/info.hpp"

#include <string>

#include "base/log.hpp"

namespace tributary::file {

std::vector<hints::Setting> settings_of(MPI_Info info) {
  std::vector<hints::Setting> settings;
  if (info == MPI_INFO_NULL) return settings;
  int keys = 0;
  PMPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    int length = 0;
    int found = 0;
    PMPI_Info_get_nthkey(info, i, key);
    PMPI_Info_get_valuelen(info, key, &length, &found);
    if (!found) continue;
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key, length, value.data(), &found);
    value.resize(static_cast<std::size_t>(length));
    settings.push_back({key, std::move(value), hints::Origin::info, "MPI_Info"});
  }
  return settings;
}

// Open MPI's keys are short; a longer one would be an error of the MPI, so it is left out.
MPI_Info info_of(const hints::Values& values) {
  MPI_Info info = MPI_INFO_NULL;
  PMPI_Info_create(&info);
  for (const auto& [key, value] : values.effective())
    if (key.size() < MPI_MAX_INFO_KEY && value.size() < MPI_MAX_INFO_VAL && !value.empty())
      PMPI_Info_set(info, key.c_str(), value.c_str());
  return info;
}

std::vector<std::int64_t> mark_differing(const hints::Values& mine, const hints::Values& root) {
  const auto given = [](hints::Origin origin) {
    return origin == hints::Origin::environment || origin == hints::Origin::info;
  };
  std::vector<std::int64_t> marks(hints::table().size(), 0);
  for (const hints::Id id : mine.differing(root))
    if (given(mine.origin(id)) || given(root.origin(id))) marks[static_cast<std::size_t>(id)] = 1;
  return marks;
}

void warn_of_differing(const std::vector<std::int64_t>& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] != 0)
      warn("hint '" + std::string(hints::table()[i].name) +
           "' differs between ranks; the value of rank 0 counts");
}

}  // namespace tributary::file
