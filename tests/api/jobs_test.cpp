// SPDX-License-Identifier: MIT
#include "tests/api/api_world.hpp"

using namespace tidemark;
using namespace tidemark::test;

TEST_CASE("a job is looked at and ended", "[jobs]") {
  api_world w;
  std::int64_t id = 0;
  w.in_group([&] {
    id = must(w.db->begin_job("reconcile", 5'000));
    must(w.db->note_job(id, {1, 2, 3}));
  });
  const std::string path = "/v1/jobs/" + std::to_string(id);
  const auto job = w.ask_json(path);
  CHECK(members(job) == "id kind state missing extra equal at reason");
  CHECK(job.at("kind") == "reconcile");
  CHECK(job.at("state") == "running");
  CHECK(job.at("missing") == 1);
  CHECK(job.at("equal") == 3);
  auto end = get(path);
  end.method = "DELETE";
  CHECK(parsed(w.ask(end)).at("state") == "cancelled");
  CHECK(w.ask_json(path).at("state") == "cancelled");
  w.in_group([&] {
    CHECK_FALSE(must(w.db->job_runs(id)));
    must(w.db->end_job(id, tide::job_state::done, "", 6'000)); // comes too late
  });
  CHECK(parsed(w.ask(end)).at("state") == "cancelled");
  CHECK(w.status("/v1/jobs/99") == 404);
  CHECK(w.status("/v1/jobs/x") == 404);
}

TEST_CASE("a job of a process that ended has failed, but a replay goes on", "[jobs]") {
  world w;
  std::int64_t id = 0, replay = 0;
  w.in_group([&] {
    id = must(w.db->begin_job("reconcile", 5'000));
    replay = must(w.db->begin_job("replay", 5'000));
  });
  w.db = store::store::revive(std::move(w.db));
  store::reader r(*w.db);
  CHECK(must(r.job(id))->state == tide::job_state::failed);
  CHECK(must(r.job(id))->reason == "the process ended");
  CHECK(must(r.job(replay))->state == tide::job_state::running);
}
