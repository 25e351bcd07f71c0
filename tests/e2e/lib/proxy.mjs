// SPDX-License-Identifier: MIT
// Stands between the daemon and the node, and lies, fails or dawdles as it is told.
import http from 'node:http';
import { listen } from './http.mjs';

export class Proxy {
  constructor(upstream) {
    this.upstream = upstream;
    this.fault = {};
    this.calls = []; // every call that came, batches taken apart
  }

  async start() {
    this.server = http.createServer((req, res) => {
      const chunks = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () =>
        this.#serve(res, Buffer.concat(chunks).toString()).catch(() => res.destroy()),
      );
    });
    this.url = `http://127.0.0.1:${await listen(this.server)}`;
    return this;
  }

  stop() {
    this.server?.closeAllConnections();
    return new Promise((resolve) => {
      this.server ? this.server.close(resolve) : resolve();
    });
  }

  /**
   * A fault has any of
   *   whole(res, body)        → true if it has answered the HTTP request itself
   *   call(call, forward)     → the answer to one JSON-RPC call, or undefined: pass it on
   *   answers(list)           → the answers of a batch, changed
   */
  set(fault) {
    this.fault = fault;
  }
  clear() {
    this.fault = {};
  }
  count(method) {
    return this.calls.filter((call) => !method || call.method === method).length;
  }

  async #serve(res, text) {
    const body = JSON.parse(text);
    const list = [].concat(body);
    this.calls.push(...list);
    const { whole, call: one, answers } = this.fault;
    if (whole?.(res, body)) return;
    let replies = [];
    for (const call of list)
      replies.push((await one?.(call, this.forward.bind(this))) ?? (await this.forward(call)));
    if (Array.isArray(body) && answers) replies = answers(replies);
    send(res, 200, JSON.stringify(Array.isArray(body) ? replies : replies[0]));
  }

  async forward(call) {
    const response = await fetch(this.upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    return response.json();
  }
}

function send(res, status, text, type = 'application/json', headers = {}) {
  res
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
  return true;
}

const result = (call, value) => ({ jsonrpc: '2.0', id: call.id, result: value });
const failure = (call, code, message, data) => ({
  jsonrpc: '2.0',
  id: call.id,
  error: { code, message, ...(data ? { data } : {}) },
});
const isRange = (call) => call.method === 'eth_getLogs' && !call.params[0].blockHash;

/** What endpoints are seen to do (each is a value for Proxy.set). */
export const faults = {
  html: {
    whole: (res) => send(res, 200, '<html><body>502 Bad Gateway</body></html>', 'text/html'),
  },
  halfJson: { whole: (res) => send(res, 200, '{"jsonrpc":"2.0","id":1,"resu') },
  cut: {
    whole: (res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      res.write('[{"jsonrpc":"2.0","id":');
      setTimeout(() => res.destroy(), 20);
      return true;
    },
  },
  empty: { whole: (res) => send(res, 200, '') },
  nullAnswer: { whole: (res) => send(res, 200, 'null') },
  jsonError: { call: (call) => failure(call, -32603, 'internal error: the backend is on fire') },
  httpError: { whole: (res) => send(res, 500, 'oops', 'text/plain') },
  unauthorized: { whole: (res) => send(res, 401, '{"error":"invalid api key"}') },
  silence: { whole: () => true },
  refused: {
    whole: (res) => {
      res.destroy();
      return true;
    },
  },
  otherChain: { call: (call) => (call.method === 'eth_chainId' ? result(call, '0x5') : undefined) },
  tooManyRequests: {
    whole: (res) =>
      send(
        res,
        429,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}',
        'application/json',
        { 'retry-after': '1' },
      ),
  },
  /**
   * No logs, wherever one asks: as a backend behind the head of its load balancer, or with a rotten
   * index, does.
   */
  noLogs: { call: (call) => (call.method === 'eth_getLogs' ? result(call, []) : undefined) },
  /** No logs by range only. */
  noLogsByRange: { call: (call) => (isRange(call) ? result(call, []) : undefined) },
  noReceipts: {
    call: (call) =>
      call.method === 'eth_getBlockReceipts' || call.method === 'eth_getTransactionReceipt'
        ? result(call, null)
        : undefined,
  },
  missingBlocks: {
    call: (call) =>
      call.method === 'eth_getBlockByNumber' && /^0x/.test(call.params[0])
        ? result(call, null)
        : undefined,
  },
  oddTypes: {
    call: (call) =>
      call.method.startsWith('eth_get')
        ? result(call, { number: [], hash: 7, logs: 'none', parentHash: null })
        : undefined,
  },
  huge: {
    call: (call) =>
      call.method === 'eth_getBlockByNumber'
        ? result(call, {
            number: '0xffffffffffffffffff',
            hash: `0x${'f'.repeat(64)}`,
            parentHash: `0x${'0'.repeat(64)}`,
            timestamp: '0x1',
          })
        : undefined,
  },
  /** The head stands still at `number`. */
  staleHead: (number) => ({
    call: async (call, forward) => {
      if (call.method === 'eth_blockNumber') return result(call, `0x${number.toString(16)}`);
      if (call.method === 'eth_getBlockByNumber') {
        const wanted = call.params[0];
        if (wanted === 'latest')
          return forward({ ...call, params: [`0x${number.toString(16)}`, call.params[1]] });
        if (/^0x/.test(wanted) && Number(wanted) > number) return result(call, null);
      }
      return undefined;
    },
  }),
  /** A whole batch is answered by one error object. */
  noBatches: {
    whole: (res, body) =>
      Array.isArray(body) &&
      send(
        res,
        200,
        JSON.stringify({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32600, message: 'batch requests are not supported' },
        }),
      ),
  },
  noBatchesHttp: {
    whole: (res, body) =>
      Array.isArray(body) && send(res, 400, '{"error":"batch requests are disabled"}'),
  },
  shuffled: { answers: (list) => [...list].reverse() },
  /** The last answer of a batch is missing. */
  partial: { answers: (list) => (list.length > 1 ? list.slice(0, -1) : list) },
  /** eth_getLogs over more than `max` blocks is refused, in these words. */
  tooBig: (
    max,
    { code = -32602, message = 'query exceeds max block range', data, http = 200 } = {},
  ) => ({
    ...(http === 200
      ? {}
      : {
          whole: (res, body) =>
            [].concat(body).some((call) => isRange(call) && spanOf(call) > max) &&
            send(res, http, JSON.stringify({ error: message })),
        }),
    call: (call) =>
      isRange(call) && spanOf(call) > max ? failure(call, code, message, data) : undefined,
  }),
  /** Only one call is answered so; the others pass. */
  only: (method, fault) => ({
    call: (call, forward) => (call.method === method ? fault.call(call, forward) : undefined),
  }),
};

const spanOf = (call) => Number(call.params[0].toBlock) - Number(call.params[0].fromBlock) + 1;
