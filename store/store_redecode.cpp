// SPDX-License-Identifier: MIT
#include "store/guarded.hpp"

// Reading stored events again.

namespace tidemark::store {

result<std::int64_t> store::begin_redecode(const redecode_order& o, std::int64_t now) {
  auto job = writing(*parts_, [&] { return parts_->all->redecodes.begin(o, now); });
  if (!job) return job;
  const std::string what = o.subscription.value_or("all subscriptions");
  if (auto noted = audit(o.who, "redecode",
                         what + ", job " + std::to_string(*job) + (o.dry ? ", dry run" : ""), now);
      !noted)
    return noted.error();
  return job;
}

result<std::vector<std::int64_t>> store::running_redecodes() {
  return guarded(*parts_, [&] { return parts_->all->redecodes.running(); });
}

result<std::optional<redecode_state>> store::redecode_at(std::int64_t job) {
  return guarded(*parts_, [&] { return parts_->all->redecodes.at(job); });
}

result<kept_page> store::kept(std::uint64_t chain_id, const redecode_state& s, std::size_t limit) {
  return guarded(*parts_, [&] {
    const chain_entry* c = parts_->all->book.chains.by_id(chain_id);
    return c ? parts_->all->redecodes.page(c->chain, s, limit) : kept_page();
  });
}

result<bool> store::redecode(std::uint64_t chain_id, std::span<const reread_row> rows,
                             std::int64_t now) {
  return writing(*parts_, now, [&] {
    const chain_entry* c = parts_->all->book.chains.by_id(chain_id);
    if (!c) return false;
    parts_->all->book.must_sync = true;
    return parts_->all->redecodes.write(c->chain, rows, now);
  });
}

result<void> store::note_redecode(std::int64_t job, const redecode_state& s) {
  return writing(*parts_, [&] { parts_->all->redecodes.note(job, s); });
}

} // namespace tidemark::store
