// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

#include <csignal>
#include <mutex>
#include <sys/wait.h>
#include <thread>

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// What the child says of an acknowledged webhook. Smaller than PIPE_BUF, so lines stay whole.
struct acknowledged {
  std::int64_t id = 0;
  std::uint32_t writer = 0, n = 0;
};

std::string body_of(std::uint32_t writer, std::uint32_t n) {
  return "webhook " + std::to_string(writer) + "." + std::to_string(n) + std::string(200, 'x');
}

/// Sixteen writers share the store; each reports a webhook only after its group's commit.
[[noreturn]] void write_until_killed(const std::string& path, int out) {
  store::options o;
  o.path = path;
  auto opened = store::store::open(std::move(o));
  if (opened.index() != 0) _exit(3);
  store::store& db = *std::get<0>(opened);
  std::mutex one_at_a_time;
  std::vector<std::thread> writers;
  for (std::uint32_t w = 0; w < 16; ++w)
    writers.emplace_back([&, w] {
      for (std::uint32_t n = 0;; ++n) {
        acknowledged a{0, w, n};
        {
          const std::lock_guard lock(one_at_a_time);
          if (!db.begin()) _exit(4);
          const auto r = db.append({"s", n, "{}", body_of(w, n)});
          if (!r || !db.commit()) _exit(4);
          a.id = r->id;
        }
        if (write(out, &a, sizeof a) != sizeof a) _exit(5);
      }
    });
  for (auto& t : writers)
    t.join();
  _exit(6);
}

std::vector<acknowledged> run_and_kill(const std::string& path, int ms) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_until_killed(path, ends[1]);
  }
  close(ends[1]);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    kill(child, SIGKILL);
  });
  std::vector<acknowledged> all;
  acknowledged a;
  while (read(ends[0], &a, sizeof a) == sizeof a)
    all.push_back(a);
  close(ends[0]);
  killer.join();
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  return all;
}

} // namespace

TEST_CASE("kill -9 under sixteen writers loses nothing that was acknowledged", "[crash]") {
  scratch dir;
  std::size_t total = 0;
  for (int round = 0; round < 4; ++round) {
    const auto said = run_and_kill(dir.file(), 150 + 100 * round);
    auto db = open_store(dir.file());
    auto r = must(store::reader::open(dir.file()));
    for (const acknowledged& a : said)
      REQUIRE(must(r->raw(a.id)) == body_of(a.writer, a.n));
    total += said.size();
    // And the keys know them: the same body is a duplicate.
    if (said.empty()) continue;
    must(db->begin());
    for (std::size_t i = 0; i < said.size(); i += 1 + said.size() / 50) {
      const auto again = must(db->append({"s", 1, "{}", body_of(said[i].writer, said[i].n)}));
      CHECK(again.duplicate);
      CHECK(again.id == said[i].id);
    }
    must(db->commit());
    store::page_request last;
    last.limit = 1;
    const auto newest = must(r->webhooks({}, {}, last)).items;
    REQUIRE(newest.size() == 1);
    CHECK(must(r->sources())[0].received == static_cast<std::uint64_t>(newest[0].id)); // no hole
  }
  CHECK(total > 50);
}
