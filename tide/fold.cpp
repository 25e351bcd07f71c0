// SPDX-License-Identifier: MIT
#include "tide/fold.hpp"

namespace tidemark::tide {
namespace {

folded disputed_by(dispute d) { return {.dispute = d}; }

/// A new inclusion, from a reading that may make one.
folded open(const sighting& log, reading how, const chain_view& view) {
  return {.opens = true,
          .confirms = how != reading::saw && holds(log.asks, log.block.number, view)};
}

/// The row is rolled back, or there is none, so nothing stands against the log but the rules of the
/// reading.
folded fold_closed(const std::optional<event_row>& row, const sighting& log, reading how,
                   const chain_view& view) {
  if (how == reading::shown) return disputed_by(dispute::read_whole);
  // A proof took it back, so only another proof brings it back into that block.
  if (how == reading::saw && row && row->undone == why::corrected && row->block == log.block)
    return disputed_by(dispute::read_whole);
  return open(log, how, view);
}

} // namespace

folded fold(const std::optional<event_row>& row, const sighting& log, reading how,
            const chain_view& view, bool row_left) {
  if (!row || row->status == status::rolled_back) return fold_closed(row, log, how, view);
  if (row->block != log.block) return disputed_by(row_left ? dispute::left : dispute::second);
  if (row->digest != log.digest) {
    if (how != reading::proved) return disputed_by(dispute::read_whole);
    folded f = open(log, how, view);
    f.corrects = true;
    return f;
  }
  const bool ripe = how != reading::saw && holds(row->asks + log.asks, log.block.number, view);
  return {.confirms = row->status == status::pending && ripe};
}

folded fold_absent(const event_row& row, reading how) {
  if (row.status == status::rolled_back || how == reading::saw) return {};
  if (how == reading::proved) return {.corrects = true};
  return disputed_by(dispute::read_whole);
}

} // namespace tidemark::tide
