// SPDX-License-Identifier: MIT
#include "tide/inquirer.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr int rounds_over_endpoints = 2;
constexpr std::int64_t longest_wait_for_a_turn = 5'000;
constexpr std::uint32_t jitter = 200;

/// What matters of an ask for who is asked.
pool::wanted about(const ask& a) {
  pool::wanted w;
  w.rather_not = a.rather_not;
  const auto heights = [&w](std::uint64_t from, std::uint64_t to) {
    w.lowest = std::min(w.lowest.value_or(from), from);
    w.highest = std::max(w.highest.value_or(to), to);
  };
  std::visit(
      [&](const auto& what) {
        using what_t = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<what_t, ask_head>) {
          w.head = true;
        } else if constexpr (std::is_same_v<what_t, ask_blocks>) {
          for (const auto& id : what.ids)
            heights(id.number, id.number);
        } else if constexpr (!std::is_same_v<what_t, ask_receipts> &&
                             !std::is_same_v<what_t, ask_votes>) {
          heights(what.from, what.to);
        }
      },
      a.what);
  return w;
}

void add_words(std::string& to, const std::string& words) {
  if (to.find(words) == std::string::npos) to += (to.empty() ? "" : "; ") + words;
}

} // namespace

inquirer::inquirer(std::uint64_t chain_id, std::vector<endpoint_settings> endpoints,
                   std::uint64_t max_range, std::uint64_t seed)
    : chain_id_(chain_id), pool_(std::move(endpoints), max_range),
      random_(static_cast<std::minstd_rand::result_type>(seed)), last_refusal_(pool_.size()) {}

bool inquirer::for_votes() const { return std::holds_alternative<ask_votes>(job_->ask.what); }

inquirer::effects inquirer::ask(tide::ask a, millis now) {
  job_ = job{};
  job_->about = about(a);
  job_->ask = std::move(a);
  job_->tried.assign(pool_.size(), false);
  for_votes() ? ask_everybody(now) : choose(now);
  go_on(now);
  return std::exchange(out_, {});
}

inquirer::effects inquirer::came(std::uint64_t n, const arrival& a, millis now) {
  if (!look_came(n, a, now) && job_)
    for (auto& t : job_->talks)
      if (t.is() == talk::state::going && t.came(n, a, pool_, now)) {
        settle(t, now);
        break;
      }
  go_on(now);
  return std::exchange(out_, {});
}

inquirer::effects inquirer::tick(millis now) {
  if (job_ && job_->turn_at && now >= *job_->turn_at) {
    job_->turn_at.reset();
    for_votes() ? ask_everybody(now) : choose(now);
  }
  look_around(now);
  go_on(now);
  return std::exchange(out_, {});
}

inquirer::effects inquirer::lied(std::size_t endpoint, const std::string& evidence, millis now) {
  if (endpoint >= pool_.size()) return {};
  pool_.lied(endpoint, now);
  return {warned{"endpoint " + pool_.name(endpoint) + " said what cannot be: " + evidence}};
}

std::optional<inquirer::millis> inquirer::next_tick() const {
  auto at = next_look();
  const auto sooner = [&at](std::optional<millis> one) {
    if (one) at = std::min(at.value_or(*one), *one);
  };
  if (!job_) return at;
  sooner(job_->turn_at);
  for (const auto& t : job_->talks)
    sooner(t.waits_until());
  return at;
}

/// Whatever may be sent now is.
void inquirer::go_on(millis now) {
  const auto send = [&](talk& t) {
    for (auto& s : t.go(pool_, last_n_, now))
      out_.push_back(post{s.n, t.endpoint(), std::move(s.body)});
  };
  if (job_) std::for_each(job_->talks.begin(), job_->talks.end(), send);
  std::for_each(looks_.begin(), looks_.end(), send);
}

/// The next endpoint for this ask, or a pause, or the end of it.
void inquirer::choose(millis now) {
  auto& j = *job_;
  j.talks.clear();
  std::optional<std::size_t> chosen;
  if (j.ask.endpoint) {
    // Two answers that belong together come from one endpoint, or the pass begins again.
    if (*j.ask.endpoint < pool_.size() && !j.tried[*j.ask.endpoint]) chosen = *j.ask.endpoint;
  } else {
    chosen = pool_.choose(now, j.tried, j.about);
  }
  if (chosen) {
    j.tried[*chosen] = true;
    const bool patient = j.ask.endpoint || !pool_.choose(now, j.tried, j.about);
    j.talks.emplace_back(j.ask.what, *chosen, chain_id_, patient, pool_, now);
    if (j.talks.back().read().calls().empty()) give_up();
    return;
  }
  if (j.lagging) { // who else there is has nothing better
    out_.push_back(std::move(*j.lagging));
    job_.reset();
    return;
  }
  if (j.ask.endpoint || ++j.rounds >= rounds_over_endpoints || !wait_for_a_turn(now)) give_up();
}

/// False: it would be too long.
bool inquirer::wait_for_a_turn(millis now) {
  auto& j = *job_;
  const auto wait = pool_.ready_at(now) - now;
  if (wait > longest_wait_for_a_turn) return false;
  j.tried.assign(pool_.size(), false);
  j.turn_at = now + wait + static_cast<millis>(random_() % jitter);
  return true;
}

/// All that may be asked, at once.
void inquirer::ask_everybody(millis now) {
  auto& j = *job_;
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    if (pool_.may_ask(i, now))
      j.talks.emplace_back(j.ask.what, i, chain_id_, false, pool_, now);
    else
      add_words(j.votes.silent,
                pool_.name(i) + ": " +
                    (pool_.words(i).empty() ? "it may not be asked now" : pool_.words(i)));
  }
  if (!j.talks.empty()) return;
  if (++j.rounds >= rounds_over_endpoints || !wait_for_a_turn(now))
    return answer_with(no_answer{std::move(j.votes.silent)}, 0);
  j.votes.silent.clear();
}

void inquirer::settle(talk& t, millis now) {
  if (t.is() == talk::state::going) return;
  const bool votes = for_votes();
  t.is() == talk::state::done ? done(t, now) : talk_failed(t, now);
  if (!votes || !job_) return;
  auto& j = *job_;
  if (std::any_of(j.talks.begin(), j.talks.end(),
                  [](const talk& one) { return one.is() == talk::state::going; }))
    return;
  for (const auto& v : j.votes.votes)
    pool_.compare(v.endpoint);
  if (j.votes.votes.empty()) return answer_with(no_answer{std::move(j.votes.silent)}, 0);
  std::sort(j.votes.votes.begin(), j.votes.votes.end(),
            [](const vote& a, const vote& b) { return a.endpoint < b.endpoint; });
  const auto first = j.votes.votes.front().endpoint;
  answer_with(std::move(j.votes), first);
}

void inquirer::done(talk& t, millis now) {
  auto& j = *job_;
  auto& read = t.read();
  const auto i = t.endpoint();
  pool_.succeeded(i, t.latency(), read.highest(), now,
                  for_votes() || std::holds_alternative<ask_head>(j.ask.what));
  plan_look(i, now);
  auto what = read.answer();
  if (auto* votes = std::get_if<votes_answer>(&what)) {
    auto& one = votes->votes.front();
    one.endpoint = i;
    one.endpoint_name = pool_.name(i);
    j.votes.votes.push_back(std::move(one));
    return;
  }
  if (j.about.head && !j.ask.endpoint && pool_.lags(i) && !j.lagging && j.rounds == 0) {
    const auto other = pool_.choose(now, j.tried, j.about);
    if (other && !pool_.lags(*other)) {
      j.lagging = made(std::move(what), i);
      return choose(now);
    }
  }
  answer_with(std::move(what), i);
}

void inquirer::talk_failed(talk& t, millis now) {
  auto& j = *job_;
  const auto i = t.endpoint();
  auto text = t.text();
  note_failure(t, j.about.lowest, now);
  plan_look(i, now);
  if (text.empty()) text = to_text(t.failure());
  text = pool_.name(i) + ": " + text;
  if (for_votes()) return add_words(j.votes.silent, text);
  add_words(j.trouble, text);
  choose(now);
}

void inquirer::note_failure(const talk& t, std::optional<std::uint64_t> lowest, millis now) {
  const auto i = t.endpoint();
  if (t.is() != talk::state::wrong_chain)
    return pool_.failed(i, t.failure(), t.text(), now, t.retry_after(), lowest);
  pool_.refuse(i, t.text(), now);
  const auto warning = "endpoint " + pool_.name(i) + " is refused: " + t.text();
  if (std::exchange(last_refusal_[i], warning) != warning) out_.push_back(warned{warning});
}

void inquirer::give_up() {
  auto text = job_->trouble;
  for (std::size_t i = 0; i < pool_.size(); ++i) // of those too that may not be asked now
    if (!pool_.words(i).empty()) add_words(text, pool_.name(i) + ": " + pool_.words(i));
  if (text.empty()) text = "no endpoint may be asked now";
  answer_with(no_answer{std::move(text)}, job_->talks.empty() ? job_->ask.endpoint.value_or(0)
                                                              : job_->talks.front().endpoint());
}

answer inquirer::made(answer_what what, std::size_t endpoint) const {
  answer a;
  a.n = job_->ask.n;
  a.what = std::move(what);
  if (endpoint < pool_.size()) {
    a.endpoint = endpoint;
    a.endpoint_name = pool_.name(endpoint);
    a.endpoint_head = pool_.head(endpoint);
  }
  return a;
}

void inquirer::answer_with(answer_what what, std::size_t endpoint) {
  out_.push_back(made(std::move(what), endpoint));
  job_.reset();
}

} // namespace tidemark::tide
