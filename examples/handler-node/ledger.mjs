// SPDX-License-Identifier: MIT
// Balances that follow a token's transfers. The journal is the one place where "did I see this
// message?" and "what did it change?" are kept, in one line each, so a crash can never leave the
// one without the other. In a real system this is one table with a unique index on `id`, written in
// the transaction that books the money.
import fs from 'node:fs';

export class Ledger {
  #entries = new Map(); // message id → [[account, amount], …]
  #file;

  constructor(path) {
    for (const line of fs.existsSync(path) ? fs.readFileSync(path, 'utf8').split('\n') : []) {
      // A line that a crash cut short was never acknowledged: its message comes again.
      try {
        const { id, entries } = JSON.parse(line);
        this.#entries.set(
          id,
          entries.map(([account, amount]) => [account, BigInt(amount)]),
        );
      } catch {
        /* see above */
      }
    }
    fs.writeFileSync(
      path,
      [...this.#entries].map(([id, entries]) => this.#line(id, entries)).join(''),
    );
    this.#file = fs.openSync(path, 'a');
  }

  /** Books a message once. False: it was booked before. */
  apply({ id, type, data }) {
    if (this.#entries.has(id)) return false;
    const entries = this.#read(type, data);
    fs.writeSync(this.#file, this.#line(id, entries));
    fs.fsyncSync(this.#file);
    this.#entries.set(id, entries);
    return true;
  }

  #read(type, data) {
    switch (type) {
      case 'tidemark.event.confirmed': {
        const { from, to, value } = data.args;
        return [
          [from, -BigInt(value)],
          [to, BigInt(value)],
        ];
      }
      case 'tidemark.event.rolled_back':
        // Never delete what was booked: book the reverse of just what the message undoes.
        return (this.#entries.get(data.undoes) ?? []).map(([account, amount]) => [
          account,
          -amount,
        ]);
      default: // pending, and whatever a later version may send
        return [];
    }
  }

  #line(id, entries) {
    return `${JSON.stringify({ id, entries: entries.map(([account, amount]) => [account, amount.toString()]) })}\n`;
  }

  get size() {
    return this.#entries.size;
  }

  /** Account → balance, as decimal strings; accounts at zero are left out. */
  balances() {
    const sums = new Map();
    for (const entries of this.#entries.values()) {
      for (const [account, amount] of entries)
        sums.set(account, (sums.get(account) ?? 0n) + amount);
    }
    return Object.fromEntries(
      [...sums]
        .filter(([, sum]) => sum !== 0n)
        .sort()
        .map(([account, sum]) => [account, sum.toString()]),
    );
  }
}
