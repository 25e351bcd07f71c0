// SPDX-License-Identifier: MIT
// The user's code behind a URL, as a test needs it: checks every signature and every body with the public libraries,
// keeps every request as it came, and answers as it is told.
import http from 'node:http';
import { CloudEvent } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { listen } from './http.mjs';

export const SECRET = `whsec_${Buffer.from('the secret of the test handler!!').toString('base64')}`;

export class Handler {
  constructor(secret = SECRET) {
    this.secret = secret;
    this.connections = 0;
    this.requests = []; // every request, in order of arrival
    this.accepted = []; // the first acknowledged one of each id, in order
    this.faults = []; // what must never happen
    this.rule = undefined; // (message) → undefined (204) | {status, headers, body, delay} | 'hang' | 'cut'
    this.open = new Map(); // partition key → requests being answered
    this.bytes = new Map(); // id → the body that came with it
    this.ids = new Set();
  }

  async start() {
    this.server = http.createServer((req, res) => {
      const chunks = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () =>
        this.#take(req, res, Buffer.concat(chunks)).catch((error) => this.faults.push(error.stack)),
      );
    });
    this.server.on('connection', () => {
      this.connections += 1;
    });
    this.port = await listen(this.server, this.port ?? 0);
    this.url = `http://127.0.0.1:${this.port}/on-event`;
    return this;
  }

  stop() {
    this.server?.closeAllConnections();
    return new Promise((resolve) => {
      this.server ? this.server.close(resolve) : resolve();
    });
  }

  async #take(req, res, body) {
    const raw = body.toString();
    const message = {
      method: req.method,
      path: req.url,
      headers: req.headers,
      raw,
      at: Date.now(),
    };
    try {
      message.event = new Webhook(this.secret).verify(raw, req.headers);
    } catch (error) {
      this.faults.push(`signature: ${error.message}: ${raw.slice(0, 200)}`);
      res.writeHead(401).end();
      return;
    }
    try {
      new CloudEvent(message.event); // its constructor checks every attribute
    } catch (error) {
      this.faults.push(`no CloudEvent: ${error.message}: ${raw.slice(0, 300)}`);
    }
    message.id = req.headers['webhook-id'];
    message.type = message.event.type;
    message.data = message.event.data;
    message.key = message.event.partitionkey;
    message.attempt = this.requests.filter((r) => r.id === message.id).length + 1;
    this.requests.push(message);
    const before = this.bytes.get(message.id);
    if (before !== undefined && before !== raw)
      this.faults.push(`other bytes under one id: ${before}\n${raw}`);
    this.bytes.set(message.id, raw);
    if (message.id !== message.event.id)
      this.faults.push(`webhook-id ${message.id} is not the event's id ${message.event.id}`);

    const open = this.open.get(message.key) ?? 0;
    if (open && message.key) this.faults.push(`two at a time under ${message.key}: ${message.id}`);
    this.open.set(message.key, open + 1);
    // A connection that the daemon gave up (its time-out, its death) is not "in flight" any more.
    let closed = false;
    const close = () => {
      if (!closed) {
        closed = true;
        this.open.set(message.key, this.open.get(message.key) - 1);
      }
    };
    res.on('close', close);

    const answer = this.rule?.(message) ?? {};
    message.answer = answer;
    if (answer === 'hang') return;
    if (answer === 'cut') {
      req.socket.destroy();
      return;
    }
    if (answer.delay)
      await new Promise((resolve) => {
        setTimeout(resolve, answer.delay);
      });
    if (res.destroyed) return;
    const status = answer.status ?? 204;
    if (status >= 200 && status < 300 && !this.ids.has(message.id)) {
      this.ids.add(message.id);
      this.accepted.push(message);
    }
    close();
    res.writeHead(status, answer.headers).end(answer.body);
  }

  /** Acknowledged messages of one kind (confirmed, pending, rolled_back), or all. */
  got(status) {
    return status
      ? this.accepted.filter((m) => m.type === `tidemark.event.${status}`)
      : this.accepted;
  }

  of(eventId, status) {
    return this.got(status).filter((m) => m.data.event_id === eventId);
  }

  /** What counts now: eventId → message, for each confirmed event that was not taken back. */
  live() {
    const events = new Map();
    for (const m of this.accepted) {
      if (m.type === 'tidemark.event.confirmed') events.set(m.data.event_id, m);
      if (m.type === 'tidemark.event.rolled_back') events.delete(m.data.event_id);
    }
    return events;
  }
}
