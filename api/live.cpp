// SPDX-License-Identifier: MIT
#include "api/live.hpp"

namespace tidemark::api {

void live::put(tide::chain_status status) {
  const std::lock_guard lock(mutex_);
  chains_[status.name] = std::move(status);
}

void live::put(tide::handler_status status) {
  const std::lock_guard lock(mutex_);
  handlers_[status.name] = std::move(status);
}

void live::set_ingest(std::function<std::map<std::string, source_counts>()> counts) {
  const std::lock_guard lock(mutex_);
  ingest_ = std::move(counts);
}

void live::set_listening(bool on) {
  const std::lock_guard lock(mutex_);
  listening_ = on;
}

void live::set_store_trouble(std::string text) {
  const std::lock_guard lock(mutex_);
  store_trouble_ = std::move(text);
}

void live::set_disk(std::function<std::string()> trouble) {
  const std::lock_guard lock(mutex_);
  disk_ = std::move(trouble);
}

void live::set_reload(bool done, std::int64_t at) {
  meters_.set(meter::config_reload_success, {}, done ? 1 : 0);
  if (done) meters_.set(meter::config_reload_timestamp, {}, static_cast<double>(at) / 1'000);
}

void live::set_last_backup(std::int64_t at) {
  const std::lock_guard lock(mutex_);
  last_backup_ = at;
  meters_.set(meter::backup_last_success, {}, static_cast<double>(at) / 1'000);
}

std::optional<std::int64_t> live::last_backup() const {
  const std::lock_guard lock(mutex_);
  return last_backup_;
}

std::optional<tide::chain_status> live::chain(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = chains_.find(name);
  if (found == chains_.end()) return std::nullopt;
  return found->second;
}

std::optional<tide::handler_status> live::handler(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = handlers_.find(name);
  if (found == handlers_.end()) return std::nullopt;
  return found->second;
}

std::map<std::string, source_counts> live::sources() const {
  const std::lock_guard lock(mutex_);
  if (!ingest_) return {};
  return ingest_();
}

bool live::listening() const {
  const std::lock_guard lock(mutex_);
  return listening_;
}

std::string live::store_trouble() const {
  const std::lock_guard lock(mutex_);
  return store_trouble_;
}

std::string live::disk_trouble() const {
  const std::lock_guard lock(mutex_);
  return disk_ ? disk_() : std::string();
}

} // namespace tidemark::api
