// SPDX-License-Identifier: MIT
// The line between the daemon and the sample handler: notes what passes, and can lose the answers.
import http from 'node:http';
import { listen, request } from '../tests/e2e/lib/http.mjs';

export class Wire {
  constructor(target) {
    this.target = target;
    this.seen = []; // every request that passed
    this.holdAnswers = false; // the handler gets the message, the daemon never its answer
  }

  async start() {
    this.server = http.createServer((req, res) => {
      const chunks = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => this.#pass(req, res, Buffer.concat(chunks)).catch(() => res.destroy()));
    });
    this.url = `http://127.0.0.1:${await listen(this.server)}/`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  async #pass(req, res, bytes) {
    const body = bytes.toString();
    const { id, type, data } = JSON.parse(body);
    const note = {
      id,
      body,
      status: type.replace('tidemark.event.', ''),
      eventId: data.event_id,
      block: data.block.hash,
      undoes: data.undoes,
    };
    this.seen.push(note);
    const headers = Object.fromEntries(
      Object.entries(req.headers).filter(
        ([name]) => !['host', 'connection', 'content-length'].includes(name),
      ),
    );
    const answer = await request(this.target, { method: 'POST', headers, body });
    note.booked = answer.status === 204;
    if (this.holdAnswers) return;
    note.answered = true;
    res.writeHead(answer.status).end(answer.raw);
  }
}
