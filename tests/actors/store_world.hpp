// SPDX-License-Identifier: MIT
#pragma once

#include "actors/store.hpp"

#include "tests/actors/fixture.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <new>
#include <set>

namespace tidemark::actors {

/// The store actor with a real store in memory, on simulated time.
struct store_fixture : actor_fixture {
  std::vector<std::string> order; ///< commits, bells, troubles and answers, as they came
  int commits = 0;
  std::string fails; ///< where the store runs out of memory: "commit" or a statement's part
  store_actor actor;

  explicit store_fixture(std::set<std::uint64_t> known_chains = {1, 2, 3}) {
    store::options o;
    o.path = ":memory:";
    o.hook = [this](const char* where) {
      const std::string_view at = where;
      if (!fails.empty() && at.find(fails) != std::string_view::npos) throw std::bad_alloc();
      if (at == "committed") {
        ++commits;
        order.push_back("committed");
      }
    };
    auto opened = store::store::open(std::move(o));
    REQUIRE(opened.index() == 0);
    std::shared_ptr<store::store> file = std::move(std::get<0>(opened));
    store_params p;
    p.file = file;
    p.now = [this] { return now; };
    p.ring = [this](const store::bells& b) {
      order.push_back(std::string("bells") + (b.webhooks ? " webhooks" : "") +
                      (b.feed ? " feed" : ""));
    };
    p.fatal = [this](std::string_view t) { order.push_back("fatal " + std::string(t)); };
    p.trouble = [this](std::string_view t) { order.push_back("trouble " + std::string(t)); };
    actor = own(sys.spawn(make_store, std::move(p)));
    for (const auto id : known_chains)
      ask<chain_booted>(boot_chain{id}, "boot");
    run();
    order.clear();
    commits = 0;
  }
  ~store_fixture() { end(); }

  /// Sends; the answer goes to `order` as "name" or "name !words", and to `f`.
  template <class A, class Q>
  void ask(Q q, std::string name, std::function<void(const A&)> f = {}) {
    auto asker = sys.spawn([this, to = actor, q, name, f](caf::event_based_actor* me) {
      me->request(to, caf::infinite, q)
          .then(
              [this, name, f](const A& a) {
                order.push_back(name);
                if (f) f(a);
              },
              [this, name, me](const caf::error& e) {
                order.push_back(name + " !" + me->system().render(e));
              });
    });
    owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
  }
  void append(int n, std::size_t size = 10) {
    std::string body = std::to_string(n);
    body.resize(std::max(size, body.size()), 'x');
    ask<webhook_stored>(put_webhook{box(webhook{"own", now, "{}", body})}, "w" + std::to_string(n));
  }
  void start(std::uint64_t chain) {
    tide::write_set s;
    s.chain_id = chain;
    s.verdicts = {tide::started{0, {}}};
    ask<set_answer>(apply_set{box(std::move(s))}, "set " + std::to_string(chain),
                    [this](const set_answer& a) {
                      const auto* ok = std::get_if<tide::applied>(&*a.answer);
                      order.push_back(ok ? "applied" : "not applied");
                      if (ok && ok->others_wait) order.push_back("others wait");
                    });
  }
  std::size_t count(std::string_view part) const {
    return static_cast<std::size_t>(
        std::count_if(order.begin(), order.end(),
                      [&](const std::string& s) { return s.find(part) != std::string::npos; }));
  }
  using list = std::vector<std::string>;
};

} // namespace tidemark::actors
