// SPDX-License-Identifier: MIT
#include "store/packing.hpp"

#include "store/sql.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <zstd.h>

#include <memory>
#include <new>
#include <variant>

namespace tidemark::store {
namespace {

constexpr char by_dictionary_1 = 1; // '{' is 123
constexpr int level = 1;            // higher ones take longer and save nothing (measured)
/// The largest answer of a node is smaller: what says more is damaged.
constexpr unsigned long long largest = 256ULL << 20;
constexpr std::size_t largest_kept = 64 << 10; // of each thread's buffer

struct release {
  void operator()(ZSTD_CDict* p) const { ZSTD_freeCDict(p); }
  void operator()(ZSTD_DDict* p) const { ZSTD_freeDDict(p); }
  void operator()(ZSTD_CCtx* p) const { ZSTD_freeCCtx(p); }
  void operator()(ZSTD_DCtx* p) const { ZSTD_freeDCtx(p); }
};
template <class T> std::unique_ptr<T, release> owned(T* made) {
  if (!made) throw std::bad_alloc();
  return std::unique_ptr<T, release>(made);
}

/// A frame without what the octet before it says already.
ZSTD_CCtx* compressor() {
  static const auto dictionary =
      owned(ZSTD_createCDict(data_dictionary_1, data_dictionary_1_size, level));
  thread_local const auto context = [] {
    auto c = owned(ZSTD_createCCtx());
    ZSTD_CCtx_refCDict(c.get(), dictionary.get());
    ZSTD_CCtx_setParameter(c.get(), ZSTD_c_dictIDFlag, 0);
    ZSTD_CCtx_setParameter(c.get(), ZSTD_c_checksumFlag, 1); // a flipped bit is no other event
    return c;
  }();
  return context.get();
}

std::size_t decompress(std::string& out, std::string_view frame) {
  static const auto dictionary = owned(ZSTD_createDDict(data_dictionary_1, data_dictionary_1_size));
  thread_local const auto context = owned(ZSTD_createDCtx());
  return ZSTD_decompress_usingDDict(context.get(), out.data(), out.size(), frame.data(),
                                    frame.size(), dictionary.get());
}

struct packer {
  void operator()(tide::saw& v) const { pack_all(v.logs); }
  void operator()(tide::shown& v) const { pack_all(v.logs); }
  void operator()(tide::proved& v) const { pack_all(v.logs); }
  template <class T> void operator()(T&) const {}

  static void pack_all(std::vector<tide::sighting>& logs) {
    for (auto& log : logs)
      log.data = pack(log.data);
  }
};

} // namespace

std::string pack(std::string_view json) {
  if (!json.starts_with('{')) return std::string(json); // packed before
  thread_local std::string out;
  const auto bound = 1 + ZSTD_compressBound(json.size());
  if (out.size() < bound) out.resize(bound);
  out.front() = by_dictionary_1;
  const auto size =
      ZSTD_compress2(compressor(), out.data() + 1, out.size() - 1, json.data(), json.size());
  const bool smaller = !ZSTD_isError(size) && 1 + size < json.size();
  std::string packed(smaller ? std::string_view(out).substr(0, 1 + size) : json);
  if (out.size() > largest_kept) {
    out.clear();
    out.shrink_to_fit();
  }
  return packed;
}

std::string unpack(std::string_view stored) {
  if (stored.starts_with('{')) return std::string(stored);
  const auto damaged = [] { return sql_error(SQLITE_CORRUPT, "the data of an event is damaged"); };
  if (!stored.starts_with(by_dictionary_1)) throw damaged();
  stored.remove_prefix(1);
  const auto size = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (size > largest) throw damaged(); // or none is said
  std::string out(size, '\0');
  if (decompress(out, stored) != size) throw damaged();
  return out;
}

void pack_data(tide::write_set& set) {
  for (auto& verdict : set.verdicts)
    std::visit(packer{}, verdict);
}

std::string without_details(std::string_view json) {
  auto object = boost::json::parse(json).as_object();
  if (object.contains("pruned")) return std::string(json);
  for (const char* member : {"topics", "data", "args", "input"})
    object.stable_erase(member);
  object["pruned"] = true;
  return boost::json::serialize(object);
}

} // namespace tidemark::store
