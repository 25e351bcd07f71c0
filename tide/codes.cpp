// SPDX-License-Identifier: MIT
#include "tide/codes.hpp"

namespace tidemark::tide {
namespace {

/// For a number that is none of the enum's: a damaged file must still be printable.
constexpr std::string_view no_code = "invalid";

} // namespace

std::string_view to_text(status s) {
  switch (s) {
  case status::pending:
    return "pending";
  case status::confirmed:
    return "confirmed";
  case status::rolled_back:
    return "rolled_back";
  }
  return no_code;
}

std::string_view to_text(why w) {
  switch (w) {
  case why::none:
    return "none";
  case why::reorg:
    return "reorg";
  case why::corrected:
    return "corrected";
  }
  return no_code;
}

std::string_view to_text(hint_state s) {
  switch (s) {
  case hint_state::received:
    return "received";
  case hint_state::verified:
    return "verified";
  case hint_state::not_found:
    return "not_found";
  case hint_state::irrelevant:
    return "irrelevant";
  case hint_state::unroutable:
    return "unroutable";
  case hint_state::unparsed:
    return "unparsed";
  }
  return no_code;
}

std::string_view to_text(message_state s) {
  switch (s) {
  case message_state::held:
    return "held";
  case message_state::queued:
    return "queued";
  case message_state::sending:
    return "sending";
  case message_state::delivered:
    return "delivered";
  case message_state::blocked:
    return "blocked";
  case message_state::parked:
    return "parked";
  case message_state::skipped:
    return "skipped";
  }
  return no_code;
}

std::string_view to_text(outcome o) {
  switch (o) {
  case outcome::open:
    return "open";
  case outcome::ok:
    return "ok";
  case outcome::later:
    return "later";
  case outcome::failed:
    return "failed";
  case outcome::handler_bad:
    return "handler_broken";
  case outcome::gone:
    return "gone";
  case outcome::unknown:
    return "unknown";
  }
  return no_code;
}

std::string_view to_text(tag t) {
  switch (t) {
  case tag::none:
    return "none";
  case tag::safe:
    return "safe";
  case tag::finalized:
    return "finalized";
  }
  return no_code;
}

std::string_view to_text(job_state s) {
  switch (s) {
  case job_state::running:
    return "running";
  case job_state::done:
    return "done";
  case job_state::failed:
    return "failed";
  case job_state::cancelled:
    break;
  }
  return "cancelled";
}

} // namespace tidemark::tide
