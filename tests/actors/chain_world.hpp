// SPDX-License-Identifier: MIT
#pragma once

#include "actors/chain.hpp"

#include "tests/actors/fake_store.hpp"
#include "tests/actors/fixture.hpp"
#include "tests/tide/rpc_world.hpp"

#include <caf/event_based_actor.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

namespace tidemark::actors {
using namespace rpc_test;

/// A chain actor between a store that answers by a script and endpoints that show blocks 0 to 20.
struct chain_fixture : actor_fixture {
  std::shared_ptr<store_script> script = std::make_shared<store_script>();
  store_actor store;
  rpc_actor rpc;
  chain_actor chain;
  tide::boot_state stored;
  std::vector<tide::ask> asks;
  std::vector<caught_lying> lies;
  std::vector<tide::write_set> sets;
  std::vector<std::string> log, answers;
  tide::chain_status status;
  int boots = 0, hint_takes = 0;
  bool endpoints_answer = true;
  std::uint64_t endpoints_head = 20;
  std::string held_back;

  chain_fixture() {
    stored.chain_id = 1;
    script->boot = [this](const boot_chain& b) -> caf::result<chain_booted> {
      CHECK(b.chain_id == 1);
      ++boots;
      return chain_booted{box(stored)};
    };
    script->apply = [this](const apply_set& a) -> caf::result<set_answer> {
      sets.push_back(*a.set);
      CHECK(a.set->turn == stored.turn);
      keep(*a.set);
      return set_answer{box(tide::store_answer{tide::applied{stored.turn, {}, 0, 0, 0}})};
    };
    script->hints = [this](const take_hints&) -> caf::result<hints_taken> {
      ++hint_takes;
      return hints_taken{box(store::hint_batch{})};
    };
    store = own(sys.spawn(make_fake_store, script));
    rpc = own(sys.spawn([this](rpc_actor::pointer me) -> rpc_actor::behavior_type {
      return {[this, me](const asked& a) {
                asks.push_back(*a.ask);
                if (endpoints_answer)
                  me->send(caf::actor_cast<chain_actor>(me->current_sender()),
                           answered{box(answer_to(*a.ask))});
              },
              [this](const caught_lying& c) { lies.push_back(c); }, [](const http_answered&) {},
              [](const tick&) {}};
    }));
  }
  ~chain_fixture() { end(); }

  void keep(const tide::write_set& s) {
    ++stored.turn;
    for (const auto& h : s.headers)
      stored.headers.push_back(h);
    for (const auto& v : s.verdicts) {
      if (const auto* b = std::get_if<tide::started>(&v)) {
        stored.start_block = b->start_block;
        stored.mark = b->mark;
      }
      if (const auto* m = std::get_if<tide::mark_moved>(&v)) stored.mark = m->to;
    }
  }
  tide::answer answer_to(const tide::ask& a) const {
    tide::answer out;
    out.n = a.n;
    out.endpoint_name = "a";
    out.endpoint_head = endpoints_head;
    const auto headers = [](std::uint64_t from, std::uint64_t to) {
      std::vector<evm::header> list;
      for (; from <= to; ++from)
        list.push_back(block_of(from).header);
      return list;
    };
    if (std::holds_alternative<tide::ask_head>(a.what)) {
      out.what = tide::head_answer{block_of(endpoints_head).header, {}, {}};
    } else if (const auto* h = std::get_if<tide::ask_headers>(&a.what)) {
      out.what = tide::headers_answer{headers(h->from, h->to)};
    } else if (const auto* r = std::get_if<tide::ask_range>(&a.what)) {
      out.what = tide::range_answer{headers(r->from, r->to), {}, id_of(r->to)};
    }
    return out;
  }
  void start(bool halted = false) {
    if (halted) {
      stored.start_block = 10;
      stored.mark = id_of(12);
      stored.headers = {tide::held_of(block_of(12).header)};
      stored.halted = "a finality violation";
    }
    chain_params p;
    p.settings.chain_id = 1;
    p.settings.name = "ethereum";
    p.settings.confirmations = {.blocks = 3};
    p.settings.start_block = 10;
    p.wants = [](const tide::counting&) {
      return std::make_shared<const tide::interest>(1, "ethereum", tide::policy{},
                                                    std::vector<tide::subscription>{},
                                                    std::vector<tide::recipient>{});
    };
    p.store = store;
    p.rpc = rpc;
    p.now = [this] { return now; };
    p.publish = [this](tide::chain_status s) { status = std::move(s); };
    p.log = [this](bool warning, std::string_view t) {
      log.push_back((warning ? "! " : "") + std::string(t));
    };
    p.hold_back = [this] { return held_back; };
    chain = own(sys.spawn(make_chain, std::move(p)));
    run();
  }
  /// The answer, or "!words", goes to `answers`.
  void resume(bool accept = false) {
    auto asker = sys.spawn([this, to = chain, accept](caf::event_based_actor* me) {
      me->request(to, caf::infinite, resume_chain{accept, "me"})
          .then(
              [this](const chain_resumed& r) {
                answers.push_back((r.report->resumed ? "resumed: " : "not: ") + r.report->text);
              },
              [this, me](const caf::error& e) { answers.push_back("!" + me->system().render(e)); });
    });
    owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
    run();
  }
  bool said(std::string_view part) const {
    return std::any_of(log.begin(), log.end(),
                       [&](const std::string& l) { return l.find(part) != std::string::npos; });
  }
  std::string state() const { return std::string(to_text(status.state)); }
};

inline caf::result<set_answer> refuse(const apply_set&) {
  return set_answer{box(tide::store_answer{tide::refused{"an older turn"}})};
}

} // namespace tidemark::actors
