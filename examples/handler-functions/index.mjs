// SPDX-License-Identifier: MIT
// A handler for Tidemark as an `http` function of @google-cloud/functions-framework:
//   TIDEMARK_SECRET=whsec_… npx functions-framework --target=take
// An http function has the raw body, which the signature is over; a CloudEvent function has not.
import functions from '@google-cloud/functions-framework';
import { Webhook } from 'standardwebhooks';
import { Ledger } from '../handler-node/ledger.mjs';

const webhook = new Webhook(process.env.TIDEMARK_SECRET);
// A file does on one instance; with more than one it is a table (docs/handlers.md).
const ledger = new Ledger(process.env.JOURNAL ?? 'journal.jsonl');

functions.http('take', (req, res) => {
  let message;
  try {
    message = webhook.verify(req.rawBody.toString(), req.headers);
  } catch {
    res.status(401).end();
    return;
  }
  // One message, or with `batch` several. What it throws is a 500, and the message comes again.
  for (const one of [message].flat()) ledger.apply(one);
  res.status(204).end();
});
