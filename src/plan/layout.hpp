// Where a file's bytes lie: stripes dealt out to servers round robin, servers of several classes.
// Storage traits and hints fill it in; partitionings, request orders and costs read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace tributary::plan {

struct ServerClass {
  std::string name;
  double cost = 1.0;  // time for one request, relative to the other classes
};

struct Layout {
  ByteCount stripe_bytes = 0;        // 0: not striped
  std::vector<int> class_of_server;  // empty: one server
  std::vector<ServerClass> classes;

  bool striped() const { return stripe_bytes > 0; }
  int servers() const {
    return class_of_server.empty() ? 1 : static_cast<int>(class_of_server.size());
  }
  int server_of(FileOffset offset) const {
    return striped() ? static_cast<int>(offset / stripe_bytes % servers()) : 0;
  }
  int class_of(int server) const {
    return class_of_server.empty() ? 0 : class_of_server[static_cast<std::size_t>(server)];
  }
  double cost_of(int server) const {
    return classes.empty() ? 1.0 : classes[static_cast<std::size_t>(class_of(server))].cost;
  }
};

}  // namespace tributary::plan
