// SPDX-License-Identifier: MIT
#include "config/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace tidemark::config {

evm::result<std::string> read_text_file(const std::filesystem::path& path, std::size_t most) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return evm::fail(path.string() + " is no regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return evm::fail("cannot read " + path.string() + ": " + std::strerror(errno));
  std::string out;
  char part[64 * 1024];
  while (in.read(part, sizeof part) || in.gcount() > 0) {
    out.append(part, static_cast<std::size_t>(in.gcount()));
    if (out.size() > most)
      return evm::fail(path.string() + " is larger than " + std::to_string(most >> 20) + "MiB");
  }
  if (in.bad()) return evm::fail("cannot read " + path.string());
  return out;
}

} // namespace tidemark::config
