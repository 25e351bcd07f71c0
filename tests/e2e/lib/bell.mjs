// SPDX-License-Identifier: MIT
// A WebSocket endpoint under a test's hand.
import { WebSocketServer } from 'ws';

export const socketOf = (url) => url.replace(/^http/, 'ws');

export class Bell {
  /**
   * `after(socket, nth)` is called when a connection has subscribed; `nth` counts connections from
   * 0. `answer(call)` may give what is answered.
   */
  constructor({ chainId = 31337, after, answer } = {}) {
    Object.assign(this, { chainId, after, answer });
    this.connections = 0;
    this.calls = []; // methods, in order
    this.headers = [];
    this.open = new Set();
  }

  async start() {
    this.server = new WebSocketServer({
      host: '127.0.0.1',
      port: 0,
      perMessageDeflate: false,
    });
    this.server.on('connection', (socket, request) => this.talk(socket, request));
    await new Promise((resolve) => this.server.once('listening', resolve));
    this.url = `ws://127.0.0.1:${this.server.address().port}/v2/bell-key`;
    return this;
  }

  talk(socket, request) {
    const nth = this.connections++;
    this.headers.push(request.headers);
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const call = JSON.parse(data);
      this.calls.push(call.method);
      const own = this.answer?.(call);
      const result = call.method === 'eth_chainId' ? `0x${this.chainId.toString(16)}` : '0x9';
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...(own ?? { result }) }));
      if (call.method === 'eth_subscribe') this.after?.(socket, nth);
    });
  }

  /** Tells everybody of a head, or one socket. */
  head(number, { hash = `0x${BigInt(number).toString(16).padStart(64, '0')}`, to } = {}) {
    const text = JSON.stringify({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription: '0x9', result: { number: `0x${number.toString(16)}`, hash } },
    });
    for (const socket of to ? [to] : this.open) socket.send(text);
  }

  async stop() {
    for (const socket of this.open) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
