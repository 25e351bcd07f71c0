// SPDX-License-Identifier: MIT
// A handler for Tidemark: checks the signature, books each message once, takes back what the chain
// took back.
//   TIDEMARK_SECRET=whsec_… PORT=3000 JOURNAL=journal.jsonl node handler.mjs
// POST / takes messages, one or a batch; GET / shows the balances.
import http from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Ledger } from './ledger.mjs';

const { TIDEMARK_SECRET, PORT = '3000', JOURNAL = 'journal.jsonl' } = process.env;
if (!TIDEMARK_SECRET)
  throw new Error(
    'TIDEMARK_SECRET is not set: it is the `secret` of this handler in tidemark.yaml',
  );

const webhook = new Webhook(TIDEMARK_SECRET);
const ledger = new Ledger(JOURNAL);

async function take(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString(); // the signature is over these bytes: verify before parsing
  let message;
  try {
    message = webhook.verify(body, req.headers);
  } catch {
    return 401;
  }
  // One message, or with `batch` several of one key. What a crash leaves of a batch is known by its
  // ids when it comes again.
  for (const one of [message].flat()) {
    const fresh = ledger.apply(one);
    console.log(`${fresh ? 'booked' : 'known '} ${one.type} ${one.id}`);
  }
  return 204; // only now: what is not answered 2xx comes again, with the same id and bytes
}

const server = http.createServer(async (req, res) => {
  if (req.method === 'GET') {
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ messages: ledger.size, balances: ledger.balances() }));
    return;
  }
  try {
    res.writeHead(await take(req)).end();
  } catch (error) {
    console.error(error); // not booked: 500, and it comes again
    res.writeHead(500).end();
  }
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on 127.0.0.1:${server.address().port}`),
);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
