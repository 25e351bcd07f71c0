// SPDX-License-Identifier: MIT
#include "service.hpp"

namespace tidemark::sim {
namespace {

constexpr std::int64_t timeout = 30'000;

tide::exchange_end answered(std::uint16_t status, std::string retry_after = {}) {
  tide::exchange_end e;
  e.is = tide::exchange_end::kind::answered;
  e.status = status;
  e.retry_after = std::move(retry_after);
  return e;
}

} // namespace

service::service(std::string name, troubles t, tally& met, bool indexes_by_block)
    : ledger(name, indexes_by_block), name_(std::move(name)), troubles_(std::move(t)), met_(met) {}

bool service::hit(feature f, std::int64_t now, unsigned percent) {
  if (!troubles_.on(f, now) || !troubles_.draw(f).chance(percent)) return false;
  met_.count(f);
  return true;
}

service::reaction service::receive(std::int64_t now) {
  reaction r;
  r.end = answered(200);
  if (hit(feature::unreachable, now, 100)) {
    r.takes = false;
    r.end = {};
    r.end.is = tide::exchange_end::kind::unreachable;
    r.end.text = "the connection was refused";
    return r;
  }
  if (hit(feature::hangs, now, 70)) {
    // It may take the message in all the same, long after we gave up and sent it again.
    auto& draw = troubles_.draw(feature::hangs);
    r.takes = draw.chance(60);
    r.takes_after = draw.between(0, 2 * timeout);
    r.end = {};
    r.end.text = "it did not answer in time";
    r.after = draw.chance(30) ? draw.between(0, 1'000) : timeout;
    return r;
  }
  if (hit(feature::gone, now, 50)) {
    r.takes = false;
    r.end = answered(410);
    return r;
  }
  if (hit(feature::told_to_wait, now, 70)) {
    auto& draw = troubles_.draw(feature::told_to_wait);
    r.takes = false;
    r.end = draw.chance(50) ? answered(429) : answered(draw.chance(50) ? 503 : 429, "3");
    return r;
  }
  if (hit(feature::refuses, now, 60)) {
    static constexpr std::uint16_t statuses[] = {301, 401, 403, 404};
    auto& draw = troubles_.draw(feature::refuses);
    r.takes = false;
    r.end = answered(statuses[draw.below(4)]);
    return r;
  }
  if (hit(feature::fails, now, 60)) {
    static constexpr std::uint16_t statuses[] = {400, 408, 409, 422, 425, 500, 502, 503};
    auto& draw = troubles_.draw(feature::fails);
    r.takes = draw.chance(50); // it failed before or after it took the message in
    r.end = answered(statuses[draw.below(8)]);
    return r;
  }
  if (hit(feature::late_answer, now, 60))
    r.after = troubles_.draw(feature::late_answer).between(2'000, timeout - 1'000);
  return r;
}

} // namespace tidemark::sim
