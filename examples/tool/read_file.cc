#include "tool/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace medallion::tool {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError("cannot open " + path + ": " + std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  for (size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  const bool failed = std::ferror(file) != 0;
  const int error = errno;
  std::fclose(file);
  if (failed) return absl::UnavailableError("cannot read " + path + ": " + std::strerror(error));
  return text;
}

}  // namespace medallion::tool
