// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace dualdict {
namespace {

constexpr double kUnlimited = INFINITY;

// The number after `key` in a file of "key number" lines, or 0.
double keyed_number(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return 0;
}

// A file with one number; unlimited when it says "max" or cannot be read.
double single_number(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : kUnlimited;
}

void tighten(MemoryLimit& limit, double bytes, const std::string& source) {
  if (bytes < limit.bytes) limit = {std::max(0.0, bytes), source};
}

// Pages of files count as used but are given up when memory is short.
double group_room(const std::string& folder, const std::string& limit_name, const std::string& usage_name) {
  const double limit = single_number(folder + limit_name);
  const double usage = single_number(folder + usage_name);
  if (!std::isfinite(limit) || !std::isfinite(usage)) return kUnlimited;
  const std::string statistics = folder + "memory.stat";
  const double given_up = keyed_number(statistics, "inactive_file") + keyed_number(statistics, "active_file");
  return limit - std::max(0.0, usage - given_up);
}

// The group of this process and all above it. Within a container the paths of /proc/self/cgroup may not exist: then
// the root of the mount is the container's own group.
void tighten_by_groups(MemoryLimit& limit, const std::string& root) {
  const std::string source = "the limit of the control group";
  const std::string mount = root + "/sys/fs/cgroup";
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string line;
  std::string path;
  while (std::getline(groups, line))
    if (line.starts_with("0::")) path = line.substr(3);
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    tighten(limit, group_room(mount + path + "/", "memory.max", "memory.current"), source);
    if (path.empty()) break;
    path.erase(path.rfind('/'));
  }
  tighten(limit, group_room(mount + "/memory/", "memory.limit_in_bytes", "memory.usage_in_bytes"), source);
}

void tighten_by_resources(MemoryLimit& limit, const std::string& root) {
  double pages_of_address_space = 0;
  double resident = 0;
  double shared = 0;
  double text = 0;
  double library = 0;
  double data = 0;
  std::ifstream statm(root + "/proc/self/statm");
  statm >> pages_of_address_space >> resident >> shared >> text >> library >> data;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto room = [&](auto resource, double used_pages) {
    rlimit value{};
    if (getrlimit(resource, &value) != 0 || value.rlim_cur == RLIM_INFINITY) return kUnlimited;
    return static_cast<double>(value.rlim_cur) - used_pages * page;
  };
  tighten(limit, room(RLIMIT_AS, pages_of_address_space), "the limit of the address space (ulimit -v)");
  tighten(limit, room(RLIMIT_DATA, data), "the limit of data (ulimit -d)");
}

}  // namespace

MemoryLimit available_memory(const std::string& root) {
  MemoryLimit limit{kUnlimited, "no limit"};
  const double available = keyed_number(root + "/proc/meminfo", "MemAvailable:") * 1024;
  if (available > 0) tighten(limit, available, "the free memory");
  tighten_by_groups(limit, root);
  tighten_by_resources(limit, root);
  return limit;
}

}  // namespace dualdict
