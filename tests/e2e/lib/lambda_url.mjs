// SPDX-License-Identifier: MIT
// What AWS puts before a function with a URL: an HTTP request becomes an event (payload format 2.0),
// what the function gives back becomes the answer, a throw is a 502. It books into a journal.
import http from 'node:http';
import { handlerWith } from '../../../examples/handler-lambda/index.mjs';
import { Ledger } from '../../../examples/handler-node/ledger.mjs';

const ledger = new Ledger(process.env.JOURNAL);
const handler = handlerWith((messages) => {
  for (const message of messages) ledger.apply(message);
});
let plain = false;

const server = http.createServer(async (req, res) => {
  if (req.method === 'GET') {
    res.end(JSON.stringify({ balances: ledger.balances() }));
    return;
  }
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  plain = !plain; // a function URL gives the body either way
  try {
    const { statusCode } = await handler({
      version: '2.0',
      headers: req.headers,
      isBase64Encoded: !plain,
      body: body.toString(plain ? 'utf8' : 'base64'),
    });
    res.writeHead(statusCode).end();
  } catch {
    res.writeHead(502).end();
  }
});
server.listen(Number(process.env.PORT), '127.0.0.1');
