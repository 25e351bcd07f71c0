// SPDX-License-Identifier: MIT
#include "config/subscription_parts.hpp"
#include "config/text_file.hpp"

#include "tide/abi_json.hpp"

namespace tidemark::config {
namespace {

struct preset {
  const char* event;
  const char* batch = nullptr;
};

constexpr std::array<std::pair<std::string_view, preset>, 4> presets{
    {{"erc20-transfer", {"Transfer(address indexed from, address indexed to, uint256 value)"}},
     {"erc20-approval",
      {"Approval(address indexed owner, address indexed spender, uint256 value)"}},
     {"erc721-transfer",
      {"Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"}},
     {"erc1155-transfer",
      {"TransferSingle(address indexed operator, address indexed from, address indexed to, "
       "uint256 id, uint256 value)",
       "TransferBatch(address indexed operator, address indexed from, address indexed to, "
       "uint256[] ids, uint256[] values)"}}}};

std::optional<evm::abi_event> event_from(const value& v, std::string_view text) {
  auto event = evm::parse_event(text);
  if (!event) {
    v.wrong(event.error().text + " (at character " + std::to_string(event.error().at + 1) + ")");
    return std::nullopt;
  }
  return std::move(*event);
}

std::optional<evm::abi_event> event_of_file(const value& file, const std::optional<value>& event) {
  if (!event) {
    file.wrong("needs event: the name, or the full signature, of one of its events");
    return std::nullopt;
  }
  const auto name = as_filled(file);
  const auto wanted = as_filled(*event);
  if (!name || !wanted) return std::nullopt;
  const auto text = read_text_file(file.in().beside_file(*name), 16 * mib);
  if (!text) {
    file.wrong(text.error().text);
    return std::nullopt;
  }
  auto found = tide::event_of_abi(*text, *wanted);
  if (!found) {
    event->wrong(*name + " " + found.error().text);
    return std::nullopt;
  }
  return std::move(*found);
}

bool read_preset(const value& v, tide::subscription& out) {
  const auto chosen = choose(v, presets);
  if (!chosen) return false;
  out.event = evm::parse_event(chosen->event).value();
  if (chosen->batch != nullptr) out.batch = evm::parse_event(chosen->batch).value();
  return true;
}

} // namespace

bool read_event(section& s, tide::subscription& out) {
  const auto event = s.find("event");
  const auto abi = s.find("abi");
  const auto preset = s.find("preset");
  if (preset) {
    if (event || abi) {
      preset->wrong(event ? "give event or preset, not both" : "give abi or preset, not both");
      return false;
    }
    return read_preset(*preset, out);
  }
  std::optional<evm::abi_event> found;
  if (abi) {
    found = event_of_file(*abi, event);
  } else if (event) {
    if (const auto text = as_filled(*event)) found = event_from(*event, *text);
  } else if (const auto& of = s.of(); of.is_map()) {
    of.wrong("'event', 'preset' or 'transaction' is missing");
  }
  if (!found) return false;
  out.event = std::move(*found);
  return true;
}

} // namespace tidemark::config
