// SPDX-License-Identifier: MIT
#pragma once

#include "tide/rpc_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::tide {

/// One message of a WebSocket endpoint. Source: JSON-RPC 2.0, and geth's eth_subscribe.
struct head_message {
  enum class kind : std::uint8_t {
    answer,  ///< to the call `id`: `text`
    refusal, ///< of the call `id`: `error`
    head,    ///< of `subscription`: `number` and `hash`
    other,   ///< JSON that is no business of ours
    garbage  ///< `text` says why
  };
  kind is = kind::garbage;
  std::uint64_t id = 0;
  std::string text; ///< a string's own words; of anything else its JSON
  rpc_error error;
  std::string subscription; ///< as `text`
  std::uint64_t number = 0;
  std::string hash;
};

head_message read_head_message(std::string_view text);

} // namespace tidemark::tide
