// SPDX-License-Identifier: MIT
#include "actors/store.hpp"

#include "actors/named_exceptions.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>
#include <caf/typed_response_promise.hpp>

#include <optional>
#include <utility>
#include <variant>

namespace tidemark::actors {
namespace {

constexpr std::size_t writes_a_group = 512;
constexpr std::size_t bytes_a_group = std::size_t{1024} * 1024;

caf::error to_caf(const store::store_failure& f) {
  return caf::make_error(caf::sec::runtime_error, f.text);
}

/// A write whose result of type T becomes a message of type M once it is durable.
template <class M, class T>
caf::typed_response_promise<M> promised(store_state& s, std::function<store::result<T>()> run,
                                        std::function<M(T&&)> make, std::size_t bytes = 0,
                                        bool chain_set = false) {
  auto promise = s.self->template make_response_promise<caf::typed_response_promise<M>>();
  const auto found = std::make_shared<std::optional<T>>();
  store_state::waiting w;
  w.write = [run = std::move(run), found]() -> store::result<void> {
    auto r = run();
    if (!r) return r.error();
    found->emplace(std::move(*r));
    return {};
  };
  w.done = [promise, found, make = std::move(make)](const store::store_failure* f) mutable {
    f ? promise.deliver(to_caf(*f)) : promise.deliver(make(std::move(**found)));
  };
  w.bytes = bytes;
  s.enqueue(std::move(w), chain_set);
  return promise;
}

struct nothing {};
store::result<nothing> as_nothing(const store::result<void>& r) {
  if (!r) return r.error();
  return nothing{};
}

} // namespace

store_state::~store_state() {
  // An actor that dies with open promises leaves its askers waiting for ever; this still runs
  // inside its clean-up.
  const store::store_failure gone{false, "the store has stopped"};
  for (auto& w : small)
    w.done(&gone);
  for (auto& w : sets)
    w.done(&gone);
}

void store_state::enqueue(waiting w, bool chain_set) {
  (chain_set ? sets : small).push_back(std::move(w));
  // The trigger queues behind everything that is waiting already, which is the group: no timer, no
  // added latency.
  if (!std::exchange(tick_sent, true)) self->send(self, tick{});
}

void store_state::commit_group() {
  tick_sent = false;
  std::vector<waiting> group;
  std::size_t bytes = 0;
  while (!small.empty() && group.size() < writes_a_group && bytes < bytes_a_group) {
    bytes += small.front().bytes;
    group.push_back(std::move(small.front()));
    small.pop_front();
  }
  others_wait = !group.empty() || !small.empty();
  if (!sets.empty()) {
    group.push_back(std::move(sets.front()));
    sets.pop_front();
  }
  if (!small.empty() || !sets.empty()) {
    tick_sent = true;
    self->send(self, tick{});
  }
  if (group.empty()) return;

  auto& file = *with.file;
  std::optional<store::store_failure> failure;
  if (auto begun = file.begin(); !begun) failure = begun.error();
  for (std::size_t i = 0; i < group.size() && !failure; ++i)
    if (auto wrote = group[i].write(); !wrote) failure = wrote.error();
  std::optional<store::bells> bells;
  if (failure) {
    file.undo();
  } else if (auto committed = file.commit(); !committed) {
    failure = committed.error();
  } else {
    bells = std::move(*committed);
  }
  if (failure && failure->fatal) with.fatal(failure->text);
  if (failure.has_value() != in_trouble)
    with.trouble(failure ? std::string_view(failure->text) : std::string_view{});
  in_trouble = failure.has_value();
  for (auto& w : group)
    w.done(failure ? &*failure : nullptr);
  if (bells) with.ring(*bells);
  if (bells && with.committed) with.committed(group.size());
}

store_actor::behavior_type make_store(store_actor::stateful_pointer<store_state> self,
                                      store_params params) {
  name_exceptions(self);
  auto& s = self->state;
  s.with = std::move(params);
  auto* file = s.with.file.get();
  const auto now = s.with.now;
  return {
      [&s, file](const put_webhook& p) {
        const auto hook = p.hook;
        return promised<webhook_stored, store::webhook_receipt>(
            s,
            [file, hook] {
              return file->append({hook->source, hook->at, hook->headers, hook->body});
            },
            [](store::webhook_receipt&& r) {
              return webhook_stored{r.id, r.duplicate};
            },
            hook->body.size());
      },
      [&s, file](const take_raw& t) {
        return promised<raw_webhooks, std::vector<store::raw_webhook>>(
            s, [file, t] { return file->untaken(t.rows, t.bytes); },
            [](std::vector<store::raw_webhook>&& r) { return raw_webhooks{box(std::move(r))}; });
      },
      [&s, file, now](const put_extracted& p) {
        return promised<extracted_stored, nothing>(
            s, [file, now, p] { return as_nothing(file->put_intake(*p.rows, now())); },
            [](nothing&&) { return extracted_stored{}; });
      },
      [&s, file](const boot_chain& b) {
        return promised<chain_booted, tide::boot_state>(
            s, [file, b] { return file->boot(b.chain_id); },
            [](tide::boot_state&& r) { return chain_booted{box(std::move(r))}; });
      },
      [&s, file, now](const apply_set& a) {
        return promised<set_answer, tide::store_answer>(
            s,
            [&s, file, now, a] {
              auto answer = file->apply(*a.set, now());
              auto* ok = answer ? std::get_if<tide::applied>(&*answer) : nullptr;
              if (ok) ok->others_wait = s.others_wait;
              return answer;
            },
            [](tide::store_answer&& r) { return set_answer{box(std::move(r))}; }, 0, true);
      },
      [&s, file, now](const take_hints& t) {
        return promised<hints_taken, store::hint_batch>(
            s, [file, now, t] { return file->take_hints(t.chain_id, now(), t.limit); },
            [](store::hint_batch&& r) { return hints_taken{box(std::move(r))}; });
      },
      [&s, file](const list_event_blocks& l) {
        return promised<event_blocks_listed, std::vector<tide::event_block>>(
            s, [file, l] { return file->event_blocks(l.chain_id); },
            [](std::vector<tide::event_block>&& r) {
              return event_blocks_listed{box(std::move(r))};
            });
      },
      [&s, file, now](const turn_order& t) {
        const auto turn = t.turn;
        return promised<messages_taken, store::message_batch>(
            s,
            [file, now, turn]() -> store::result<store::message_batch> {
              if (turn->first)
                if (auto lost = file->abandon(turn->handler, now()); !lost) return lost.error();
              if (auto ended = file->finish(turn->finished, now()); !ended) return ended.error();
              if (turn->take == 0) return store::message_batch{};
              return file->take(turn->handler, now(), turn->take, turn->max_bytes,
                                turn->probe_behind);
            },
            [](store::message_batch&& r) { return messages_taken{box(std::move(r))}; });
      },
      [&s, file, now](const pause_handler& p) {
        return promised<order_done, nothing>(
            s,
            [file, now, p]() -> store::result<nothing> {
              if (auto set = file->set_paused(p.handler, p.paused, p.reason, now()); !set)
                return set.error();
              return as_nothing(file->audit(p.who, p.paused ? "handler pause" : "handler resume",
                                            p.handler + (p.reason.empty() ? "" : ": " + p.reason),
                                            now()));
            },
            [](nothing&&) { return order_done{1}; });
      },
      [&s, file, now](const reprocess_webhooks& r) {
        return promised<order_done, std::uint64_t>(
            s,
            [file, now, r]() -> store::result<std::uint64_t> {
              auto count = file->reprocess(r.ids);
              if (!count) return count;
              if (auto noted = file->audit(r.who, "webhooks reprocess",
                                           std::to_string(*count) + " webhooks", now());
                  !noted)
                return noted.error();
              return count;
            },
            [](std::uint64_t&& n) { return order_done{n}; });
      },
      [&s, file, now](const write_audit& w) {
        return promised<order_done, nothing>(
            s, [file, now, w] { return as_nothing(file->audit(w.who, w.what, w.detail, now())); },
            [](nothing&&) { return order_done{1}; });
      },
      [&s, file, now](const change_list& c) {
        return promised<list_changed, store::list_result>(
            s, [file, now, c] { return file->change_list(*c.order, now()); },
            [](store::list_result&& r) { return list_changed{box(std::move(r))}; });
      },
      [&s, file, now](const adopt_config& a) {
        return promised<order_done, nothing>(
            s,
            [file, now, a]() -> store::result<nothing> {
              if (auto adopted = file->adopt(*a.config, now()); !adopted) return adopted.error();
              if (a.in_force) a.in_force();
              return as_nothing(file->audit(a.who, "reload", "the config was read again", now()));
            },
            // In line with the chains' sets: those that wait tell by the config before.
            [](nothing&&) { return order_done{1}; }, 0, true);
      },
      [&s, file, now](const write_work& w) {
        return promised<order_done, nothing>(
            s, [file, now, w] { return as_nothing(w.work(*file, now())); },
            [](nothing&&) { return order_done{1}; });
      },
      [&s](const tick&) { s.commit_group(); }};
}

} // namespace tidemark::actors
