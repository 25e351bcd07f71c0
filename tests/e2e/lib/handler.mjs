// SPDX-License-Identifier: MIT
// The user's code behind a URL, as a test needs it: checks every signature and every body with the public libraries,
// keeps every request as it came, and answers as it is told.
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { listen } from './http.mjs';

export const SECRET = `whsec_${Buffer.from('the secret of the test handler!!').toString('base64')}`;

/**
 * The signatures that the secrets make, from the specification with Node's own HMAC: what the library
 * above accepts must also be just that, one a secret, in the order of the secrets.
 */
export function signatures(raw, headers, secrets) {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`;
  return secrets
    .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ');
}

/**
 * A delivery as the public libraries read it: one message, or the list of a batch. Throws where a
 * signature or a CloudEvent is not right.
 */
export function read(raw, headers, secrets) {
  const event = new Webhook(secrets.at(-1)).verify(raw, headers);
  const own = signatures(raw, headers, secrets);
  if (headers['webhook-signature'] !== own)
    throw new Error(`signature ${headers['webhook-signature']}, it should be ${own}`);
  return event;
}

/** What npm's `cloudevents` makes of it: by its content type, every attribute checked. */
export function checkCloudEvents(raw, headers) {
  const type = headers['content-type'];
  // `application/json` carries the same bytes, which the library takes for a binary-mode event.
  const structured = type === 'application/json' ? 'application/cloudevents+json' : type;
  const events = HTTP.toEvent({ headers: { ...headers, 'content-type': structured }, body: raw });
  const parsed = JSON.parse(raw);
  if (Array.isArray(events) !== Array.isArray(parsed)) throw new Error('a batch is read as one');
  for (const [i, event] of [events].flat().entries()) {
    event.validate();
    const { id, sequence, data } = [parsed].flat()[i];
    if (event.id !== id || event.sequence !== sequence) throw new Error(`${event.id} is not ${id}`);
    if (JSON.stringify(event.data) !== JSON.stringify(data)) throw new Error(`data of ${id}`);
  }
}

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
      message.event = read(raw, req.headers, this.secrets ?? [this.secret]);
    } catch (error) {
      this.faults.push(`signature: ${error.message}: ${raw.slice(0, 200)}`);
      res.writeHead(401).end();
      return;
    }
    try {
      checkCloudEvents(raw, req.headers);
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
