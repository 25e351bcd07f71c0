// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

// The status page.  It holds no data, so it needs no token; what it shows it asks the API for.  All
// text from outside goes in as text nodes, never as HTML.

namespace tidemark::api {
namespace {

constexpr std::string_view html = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tidemark</title>
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
</head>
<body>
<header>
<h1>Tidemark <small id="instance"></small></h1>
<p id="summary" role="status">Asking …</p>
</header>
<form id="login" hidden>
<label for="token">This Tidemark asks for a token.</label>
<input id="token" type="password" autocomplete="current-password" required>
<button>Show</button>
<p id="login-error" role="alert"></p>
</form>
<main id="main" hidden>
<section aria-labelledby="h-chains"><h2 id="h-chains">Chains</h2><div id="chains" class="cards"></div></section>
<section aria-labelledby="h-sources"><h2 id="h-sources">Sources</h2><div id="sources" class="cards"></div></section>
<section aria-labelledby="h-handlers"><h2 id="h-handlers">Handlers</h2><div id="handlers" class="cards"></div></section>
<section aria-labelledby="h-store"><h2 id="h-store">Store</h2><div id="store" class="cards"></div></section>
</main>
<noscript><p>This page needs JavaScript; <code>tidemark status</code> says the same.</p></noscript>
</body>
</html>
)html";

constexpr std::string_view style =
    R"css(:root { --bg: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5b6676; --line: #dfe3e9;
  --good: #14713d; --warn: #8f5b00; --bad: #b3261e; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #11151b; --card: #1a2029; --ink: #e6eaf0; --soft: #9aa6b5; --line: #2d3642;
    --good: #5fd08f; --warn: #e9b44c; --bad: #ff8a80; --accent: #7db8f5; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--bg); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
h1 { margin: 0; font-size: 1.4rem; }
h1 small { color: var(--soft); font-weight: 400; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; color: var(--soft); }
h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
#summary { margin: 0; color: var(--soft); }
#summary.bad { color: var(--bad); }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
.card header { justify-content: space-between; }
.state { font-weight: 600; }
.state::before { content: "● "; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.reason { margin: .25rem 0 0; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem 1rem; margin: .5rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.none { color: var(--soft); margin: 0; }
form { display: grid; gap: .5rem; max-width: 24rem; margin: 2rem 0; }
input, button { font: inherit; padding: .6rem .75rem; border-radius: .4rem; border: 1px solid var(--line); }
input { background: var(--card); color: var(--ink); }
button { background: var(--accent); color: var(--bg); border: 0; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#login-error { margin: 0; color: var(--bad); }
)css";

constexpr std::string_view script = R"js('use strict';
const $ = (id) => document.getElementById(id);
const EVERY = 3000;
const good = ['following', 'active', 'ok'];
const warn = ['starting', 'catching_up', 'paused', 'lagging', 'rate_limited'];
let token = sessionStorage.getItem('token') ?? '';
let timer;

function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

const number = (n) => n === null || n === undefined ? '–' : n.toLocaleString('en');
const size = (n) => {
  if (n === null) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i++; }
  return `${i ? n.toFixed(1) : n} ${units[i]}`;
};
const span = (s) => s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : s < 172800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} d`;
const ago = (at) => at === null ? '–' : `${span(Math.max(0, (Date.now() - Date.parse(at)) / 1000))} ago`;

function card(title, state, reason, rows) {
  const box = element('article', undefined, 'card');
  const head = element('header');
  head.append(element('h3', title));
  if (state) head.append(element('span', state.replaceAll('_', ' '), `state ${good.includes(state) ? 'good' : warn.includes(state) ? 'warn' : 'bad'}`));
  box.append(head);
  if (reason) box.append(element('p', reason, 'reason'));
  const list = element('dl');
  for (const [name, value] of rows) list.append(element('dt', name), element('dd', value));
  box.append(list);
  return box;
}

function fill(id, cards) {
  $(id).replaceChildren(...(cards.length ? cards : [element('p', 'none', 'none')]));
}

const chainCard = (c) => card(c.name, c.state, c.reason, [
  ['head', number(c.head?.number)], ['mark', number(c.mark?.number)], ['behind', `${number(c.lag_blocks)} blocks`],
  ['last scan', c.last_reconcile ? ago(c.last_reconcile.at) : '–'], ['last reorg', c.last_reorg ? `${ago(c.last_reorg.at)}, depth ${c.last_reorg.depth}` : '–'],
  ...c.endpoints.map((e) => [e.name, `${e.state.replaceAll('_', ' ')}, ${Math.round(e.latency_ms)} ms`]),
]);
const sourceCard = (s) => card(s.name, '', '', [
  ['provider', s.provider], ['last', s.last_at ? `${ago(s.last_at)}${s.last_result ? `, ${s.last_result}` : ''}` : '–'], ['received', number(s.received)],
  ['duplicate', number(s.duplicate)], ['not on the chain', number(s.false)], ['unauthorized', number(s.unauthorized)],
]);
const handlerCard = (h) => card(h.name, h.state, h.reason, [
  ['due', number(h.due)], ['in flight', number(h.in_flight)], ['held', number(h.held)], ['blocked keys', number(h.blocked_keys)],
  ['parked', number(h.parked)], ['oldest', ago(h.oldest_at)],
]);

function show(status) {
  $('instance').textContent = status.instance;
  document.title = `Tidemark: ${status.instance}`;
  fill('chains', status.chains.map(chainCard));
  fill('sources', status.sources.map(sourceCard));
  fill('handlers', status.handlers.map(handlerCard));
  fill('store', [card('SQLite', '', '', [['file', size(status.store.bytes)], ['write-ahead log', size(status.store.wal_bytes)], ['free', size(status.store.free_bytes)]])]);
  summary(`version ${status.version}, up ${span(status.uptime_s)}`);
  $('main').hidden = false;
  $('login').hidden = true;
}

function summary(text, bad = false) {
  $('summary').textContent = text;
  $('summary').className = bad ? 'bad' : '';
}

function askForToken() {
  $('main').hidden = true;
  $('login').hidden = false;
  $('login-error').textContent = token ? 'That token is not known here.' : '';
  summary('');
  $('token').focus();
}

async function refresh() {
  clearTimeout(timer);
  try {
    const answer = await fetch('v1/status', { headers: token ? { authorization: `Bearer ${token}` } : {}, cache: 'no-store' });
    if (answer.status === 401) return askForToken();
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.detail ?? `status ${answer.status}`);
    show(body);
  } catch (error) {
    summary(`No answer: ${error.message}`, true);
  }
  timer = setTimeout(() => { if (!document.hidden) refresh(); }, EVERY);
}

$('login').addEventListener('submit', (event) => {
  event.preventDefault();
  token = $('token').value.trim();
  sessionStorage.setItem('token', token);
  $('token').value = '';
  refresh();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden && $('login').hidden) refresh(); });
refresh();
)js";

net::response asset(std::string_view type, std::string_view body) {
  net::response r;
  r.content_type = std::string(type) + "; charset=utf-8";
  r.body = body;
  r.headers = {{"Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
               {"X-Content-Type-Options", "nosniff"},
               {"Referrer-Policy", "no-referrer"},
               {"Cross-Origin-Opener-Policy", "same-origin"},
               {"Cache-Control", "no-cache"}};
  return r;
}

} // namespace

answer get_page(const call&) { return asset("text/html", html); }
answer get_page_script(const call&) { return asset("text/javascript", script); }
answer get_page_style(const call&) { return asset("text/css", style); }

} // namespace tidemark::api
