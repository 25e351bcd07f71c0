// SPDX-License-Identifier: MIT
#pragma once

#include "tide/reading.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::tide {

/// The body of an HTTP request for these calls; ids are 1…n. One call is sent bare, so that
/// endpoints without batches work.
std::string rpc_body(const std::vector<rpc_call>& calls);

/// What one HTTP answer says to calls 1…n.
class rpc_reply {
public:
  /// Reads a body, whatever the HTTP status: errors come with 200, 400, 429 and 500 alike.
  rpc_reply(std::string_view body, int http_status, std::size_t calls);
  rpc_reply(rpc_reply&&) = default;

  /// One a call, in their order; a missing id is a transient failure of that call. Their values go
  /// with this reply, and so does what is constructed as a plain copy of one.
  const std::vector<call_result>& results() const { return results_; }
  /// Set when the body says nothing about single calls: HTML, half a JSON, one error for the whole
  /// batch.
  const std::optional<rpc_error>& whole() const { return whole_; }
  /// Calls that the answer has nothing for: a batch that was too large for somebody on the way.
  std::size_t missing() const { return missing_; }
  bool lacks(std::size_t call) const { return !found_[call]; }
  /// The endpoint answered a batch with one object, or one error for it: it may not know batches.
  bool refuses_batches() const { return refuses_batches_; }

private:
  void read(const boost::json::value& root, std::size_t calls, int http_status);

  std::unique_ptr<boost::json::monotonic_resource> memory_;
  std::optional<boost::json::value> root_; ///< in memory_
  std::vector<call_result> results_;
  std::vector<bool> found_;
  std::optional<rpc_error> whole_;
  std::size_t missing_ = 0;
  bool refuses_batches_ = false;
};

} // namespace tidemark::tide
