// SPDX-License-Identifier: MIT
// HTTP as a test needs it: any header, any body, nothing added; and a bare socket for what no
// client would send.
import http from 'node:http';
import net from 'node:net';

/** One exchange. `json` is the parsed body, or undefined if it is none. */
export function request(url, { method = 'GET', headers = {}, body, agent, timeout = 15_000 } = {}) {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length =
      bytes &&
      !Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name));
    const req = http.request(
      url,
      {
        method,
        agent: agent ?? false,
        headers: { ...(length ? { 'content-length': bytes.length } : {}), ...headers },
      },
      (res) => {
        const chunks = [];
        res.on('data', (chunk) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () => {
          const raw = Buffer.concat(chunks);
          let json;
          try {
            json = JSON.parse(raw.toString());
          } catch {
            /* not JSON */
          }
          resolve({
            status: res.statusCode,
            headers: res.headers,
            raw,
            text: raw.toString(),
            json,
          });
        });
      },
    );
    req.setTimeout(timeout, () =>
      req.destroy(new Error(`no answer from ${method} ${url} in ${timeout} ms`)),
    );
    req.on('error', reject);
    req.end(bytes);
  });
}

/**
 * Writes the parts to a socket, pausing between them, and gives all that came back until the other
 * side closed.
 */
export function exchange(port, parts, { pause = 0, timeout = 10_000, end = false } = {}) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const chunks = [];
    let timer = setTimeout(() => finish(false), timeout);
    const finish = (closed) => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({
        text,
        closed,
        statuses: [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map((m) => Number(m[1])),
      });
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => finish(true));
    socket.on('error', (error) =>
      chunks.length || error.code === 'ECONNRESET' || error.code === 'EPIPE'
        ? finish(true)
        : reject(error),
    );
    socket.on('connect', async () => {
      for (const part of [].concat(parts)) {
        if (socket.destroyed) return;
        socket.write(part);
        if (pause)
          await new Promise((done) => {
            setTimeout(done, pause);
          });
      }
      if (end) socket.end();
    });
  });
}

/**
 * A free port of the loopback; another process may take it before it is used, so users try again.
 */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts an http.Server on a free port of the loopback and gives its port. */
export function listen(server, port = 0) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server.address().port));
  });
}
