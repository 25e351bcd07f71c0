// SPDX-License-Identifier: MIT
#pragma once

#include "net/client_connection.hpp"
#include "net/http_client.hpp"
#include "net/name_lookup.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tidemark::net {

/// The client's pools and calls. All on its strand but send(), cut() and stop().
class client_core : public std::enable_shared_from_this<client_core> {
public:
  client_core(boost::asio::io_context& io, const client_limits& limits);

  void send(client_request r, http_client::callback done);
  void cut(std::string sender);
  void stop();

private:
  using clock = std::chrono::steady_clock;
  using connection = std::shared_ptr<client_connection>;

  struct call {
    call(client_request r, http_client::callback d, const name_lookup::strand& where)
        : request(std::move(r)), done(std::move(d)), timer(where) {}
    client_request request;
    http_client::callback done; ///< null once called
    boost::asio::steady_timer timer;
    std::string pool;
    connection on;
    bool holds_place = false; ///< counts in its pool's `open`
    bool reused = false;
    std::chrono::milliseconds rested{0}; ///< of the reused connection
    bool sent = false;
  };
  using call_ptr = std::shared_ptr<call>;

  struct idle_connection {
    connection on;
    clock::time_point since;
  };
  /// Connections that are alike: same origin, same roots, same reach.
  struct pool {
    std::deque<call_ptr> waiting;
    std::vector<idle_connection> idle; ///< the last one used last
    std::size_t open = 0;              ///< connections, idle or busy or coming
  };

  template <class F> auto while_open(const call_ptr& c, F f);
  void begin(const call_ptr& c);
  void pump(const std::string& name);
  connection take_idle(pool& p, std::chrono::milliseconds& rested);
  void connect(const call_ptr& c);
  void on_found(const call_ptr& c, const name_lookup::found& f);
  void open(const call_ptr& c, std::vector<boost::asio::ip::tcp::endpoint> to);
  void exchange(const call_ptr& c);
  void on_exchanged(const call_ptr& c, client_connection::exchanged e);
  void fail(const call_ptr& c, failure kind, const std::string& text);
  void finish(const call_ptr& c, client_result r);
  void give_place_back(const call_ptr& c);
  void wait_and_sweep();
  void sweep();
  std::shared_ptr<const tls_context> system_roots();

  const client_limits limits_;
  const name_lookup::strand strand_;
  const std::shared_ptr<name_lookup> names_;
  boost::asio::steady_timer sweep_;
  bool sweeping_ = false;
  bool stopped_ = false;
  std::shared_ptr<const tls_context> system_roots_;
  std::map<std::string, pool> pools_;
  std::set<call_ptr> calls_; ///< what keeps a call alive
};

} // namespace tidemark::net
