// SPDX-License-Identifier: MIT
// What stands for the dashboard in a program that was built without npm.
#include "api/page_files.hpp"

namespace tidemark::api {
namespace {

constexpr unsigned char page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tidemark</title>"
    "<h1>Tidemark runs</h1><p>It was built where there was no npm, so without its dashboard. "
    "<code>tidemark status</code> says the same, and the API is at <code>/v1/status</code>.</p>";

constexpr page_file files[] = {
    {"", "text/html; charset=utf-8", "0000000000000000", {page, sizeof page - 1}, {}}};

} // namespace

std::span<const page_file> page_files() { return files; }

} // namespace tidemark::api
