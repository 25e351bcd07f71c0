// SPDX-License-Identifier: MIT
// A handler for Tidemark whose ledger is PostgreSQL: checks the signature, books each message once,
// takes back what the chain took back.
//   TIDEMARK_SECRET=whsec_… PORT=3000 DATABASE_URL=postgres://… node handler.mjs
// POST / takes messages, one or a batch; GET / shows the balances.
import fs from 'node:fs';
import http from 'node:http';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';

const { TIDEMARK_SECRET, DATABASE_URL, PORT = '3000' } = process.env;
if (!TIDEMARK_SECRET || !DATABASE_URL)
  throw new Error(
    'TIDEMARK_SECRET (the `secret` of this handler in tidemark.yaml) and DATABASE_URL must be set',
  );

const webhook = new Webhook(TIDEMARK_SECRET);
// What takes longer than Tidemark's `timeout` (30s) is sent again anyway: give up before it.
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
});
// A connection that ends in between two queries: the next one on it fails, or the pool makes another.
const ended = (error) => console.error(`a connection ended: ${error.message}`);
pool.on('error', ended);
pool.on('connect', (db) => db.on('error', ended));

/**
 * Moves the key's cursor to this message. False: it stands there or further on, so this one is old.
 * Two runs of one message meet at the cursor's row: the second waits until the first has committed,
 * and then is the old one.
 */
async function advance(db, { partitionkey, epoch, sequence }) {
  const moved = await db.query(
    `INSERT INTO cursors AS old (key, epoch, sequence) VALUES ($1, $2, $3)
     ON CONFLICT (key, epoch) DO UPDATE SET sequence = excluded.sequence
       WHERE old.sequence < excluded.sequence`,
    [partitionkey, epoch, sequence],
  );
  return moved.rowCount === 1;
}

/**
 * A cursor knows places, not ids. After a restore of Tidemark's store (another epoch) or a `dead
 * retry` (another sequence) a message that was booked may come under a new place, with its old id:
 * then the lines' own key says that they are there.
 */
async function book(db, { id, type, data }) {
  if (type === 'tidemark.event.confirmed') {
    const { from, to, value } = data.args;
    await db.query(
      `INSERT INTO lines (message, line, account, amount)
       VALUES ($1, 1, $2, -$4::numeric), ($1, 2, $3, $4::numeric)
       ON CONFLICT (message, line) DO NOTHING`,
      [id, from, to, value],
    );
  } else if (type === 'tidemark.event.rolled_back') {
    // Never delete what was booked: book the reverse of just what the message undoes.
    await db.query(
      `INSERT INTO lines (message, line, account, amount)
       SELECT $1, line, account, -amount FROM lines WHERE message = $2
       ON CONFLICT (message, line) DO NOTHING`,
      [id, data.undoes],
    );
  } // pending, and whatever a later version may send: nothing to book
}

/** Cursors and lines of all messages in one transaction: a crash leaves all of it, or nothing. */
async function take(messages) {
  const db = await pool.connect();
  let broken;
  try {
    await db.query('BEGIN');
    for (const message of messages) {
      // What has no sequence (a ping, a new epoch) is not in any order.
      if (message.sequence !== undefined && (await advance(db, message))) await book(db, message);
    }
    await db.query('COMMIT');
  } catch (error) {
    broken = error;
    throw error;
  } finally {
    db.release(broken); // a connection on which something failed is closed: that rolls back
  }
}

async function answer(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  let message;
  try {
    message = webhook.verify(Buffer.concat(chunks).toString(), req.headers); // over the raw bytes
  } catch {
    return 401;
  }
  await take([message].flat());
  return 204; // only now that it is committed
}

async function balances() {
  const { rows } = await pool.query(
    `SELECT account, sum(amount)::text AS balance FROM lines GROUP BY account
     HAVING sum(amount) <> 0 ORDER BY account COLLATE "C"`,
  );
  return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]));
}

await pool.query(fs.readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
const server = http.createServer(async (req, res) => {
  try {
    if (req.method === 'GET')
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ balances: await balances() }));
    else res.writeHead(await answer(req)).end();
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
    server.close(() => pool.end().then(() => process.exit(0)));
    server.closeIdleConnections();
  });
