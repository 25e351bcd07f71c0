// SPDX-License-Identifier: MIT
// A real Ethereum node, mined by hand: blocks come when a test says so.
import { fileURLToPath } from 'node:url';
import { start } from './children.mjs';
import { freePort } from './http.mjs';
import { sleep } from './wait.mjs';

const cpu = { x64: 'amd64', arm64: 'arm64' }[process.arch];
const binary =
  process.env.ANVIL_BIN ??
  fileURLToPath(
    new URL(`../node_modules/@foundry-rs/anvil-linux-${cpu}/bin/anvil`, import.meta.url),
  );

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

// Both take three raw words K, S, TO and emit K times Transfer(msg.sender, TO, S + i); B adds the
// block's number instead of S, so what it says depends on where it is mined. Hand-assembled; A's
// loop: i < calldata[0] … LOG3 … i + 1.
export const code = {
  A: '0x60428060095f395ff35f5b5f3581101560405780602035015f52604035337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa36001016001565b00',
  B: '0x60428060095f395ff35f5b5f358110156040578043015b5b5f52604035337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa36001016001565b00',
};

export const hex = (n) => `0x${BigInt(n).toString(16)}`;
export const word = (n) => BigInt(n).toString(16).padStart(64, '0');
export const addressOf = (topic) => `0x${topic.slice(26)}`;

export class Anvil {
  /** `slots`: safe is that far below the head, finalized twice as far. */
  static async start({ slots, blockTime, timestamp, args = [] } = {}) {
    for (let attempt = 1; ; attempt++) {
      const anvil = new Anvil();
      const port = await freePort();
      anvil.url = `http://127.0.0.1:${port}`;
      anvil.process = start(
        binary,
        [
          '--host',
          '127.0.0.1',
          '--port',
          String(port),
          '--quiet',
          ...(blockTime ? ['--block-time', String(blockTime)] : ['--no-mining']),
          ...(slots ? ['--slots-in-an-epoch', String(slots)] : []),
          ...(timestamp ? ['--timestamp', String(timestamp)] : []),
          ...args,
        ],
        { stdio: 'ignore' },
      );
      let ended = false;
      anvil.process.on('error', () => {
        ended = true;
      });
      anvil.process.on('exit', () => {
        ended = true;
      });
      for (let i = 0; i < 400 && !ended; i++) {
        try {
          anvil.accounts = await anvil.rpc('eth_accounts');
          anvil.chainId = Number(await anvil.rpc('eth_chainId'));
          return anvil;
        } catch {
          await sleep(25);
        }
      }
      anvil.process.kill('SIGKILL');
      if (attempt === 3) throw new Error(`anvil does not start: ${binary}`);
    }
  }

  /** A second node with the very same blocks, as long as both get the same calls. */
  static async twins(options = {}) {
    const timestamp = 1_700_000_000;
    const pair = [
      await Anvil.start({ timestamp, ...options }),
      await Anvil.start({ timestamp, ...options }),
    ];
    for (const anvil of pair) anvil.clock = timestamp;
    return pair;
  }

  stop() {
    this.process?.kill('SIGKILL');
  }

  async rpc(method, ...params) {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  async head() {
    return Number(await this.rpc('eth_blockNumber'));
  }
  block(number) {
    return this.rpc('eth_getBlockByNumber', hex(number), false);
  }
  receipt(hash) {
    return this.rpc('eth_getTransactionReceipt', hash);
  }
  raw(hash) {
    return this.rpc('eth_getRawTransactionByHash', hash);
  }
  sendRaw(raw) {
    return this.rpc('eth_sendRawTransaction', raw);
  }

  async mine(count = 1) {
    if (this.clock) {
      // a twin: the same calls at the same times give the same hashes
      for (; count > 0; count--) {
        await this.rpc('evm_setNextBlockTimestamp', (this.clock += 12));
        await this.rpc('evm_mine');
      }
    } else if (count === 1) await this.rpc('evm_mine');
    else if (count > 1) await this.rpc('anvil_mine', hex(count));
    return this.head();
  }

  /** Mines the contract in a block of its own; its address, in lower case. */
  async deploy(kind) {
    const hash = await this.rpc('eth_sendTransaction', {
      from: this.accounts[0],
      data: code[kind],
      gas: '0x493e0',
    });
    await this.mine();
    return (await this.receipt(hash)).contractAddress.toLowerCase();
  }

  /** The call that emits `count` transfers of `value`, `value` + 1, … to `receiver`. */
  call({ contract, from = 0, count = 1, value = 1, receiver = 9, nonce, gas }) {
    return {
      from: this.accounts[from],
      to: contract,
      data: `0x${word(count)}${word(value)}${(this.accounts[receiver] ?? receiver).slice(2).toLowerCase().padStart(64, '0')}`,
      gas: gas ?? hex(60_000 + 3_000 * count),
      ...(nonce === undefined ? {} : { nonce: hex(nonce) }),
    };
  }

  /** Sends it to the pool; the transaction's hash. */
  send(call) {
    return this.rpc('eth_sendTransaction', this.call(call));
  }

  /** Sends and mines it; its receipt. */
  async emit(call) {
    const hash = await this.send(call);
    await this.mine();
    return this.receipt(hash);
  }

  /**
   * Replaces the top `depth` blocks by as many new ones, with `list` of [raw transaction or call,
   * block index] in them.
   */
  async reorg(depth, list = []) {
    await this.rpc(
      'anvil_reorg',
      depth,
      list.map(([what, at]) => [typeof what === 'string' ? what : this.call(what), at]),
    );
  }

  /** The head goes down; nothing is mined. */
  async rollback(count) {
    await this.rpc('anvil_rollback', count);
  }

  /**
   * Every Transfer of the canonical chain, from receipts (not from eth_getLogs), in the chain's
   * order.
   */
  async transfers({ from = 0, to, contracts } = {}) {
    const found = [];
    for (let number = from, last = to ?? (await this.head()); number <= last; number++) {
      const block = await this.block(number);
      for (const hash of block.transactions) {
        found.push(...(await this.transfersIn(await this.receipt(hash), block)));
      }
    }
    return contracts ? found.filter((t) => contracts.includes(t.address)) : found;
  }

  /** The Transfers of one receipt. */
  async transfersIn(receipt, block) {
    block ??= await this.block(receipt.blockNumber);
    return receipt.logs
      .map((log, ordinal) => ({ log, ordinal }))
      .filter(({ log }) => log.topics[0] === TRANSFER)
      .map(({ log, ordinal }) => transferOf(log, ordinal, block, this.chainId));
  }
}

/** A log as a test speaks of it. */
function transferOf(log, ordinal, block, chainId) {
  const index = Number(log.logIndex);
  return {
    eventId: `${chainId}:${log.transactionHash}:${index}`,
    logicalId: `${chainId}:${log.transactionHash}:o${ordinal}`,
    block: Number(log.blockNumber),
    blockHash: log.blockHash,
    time: Number(block.timestamp),
    tx: log.transactionHash,
    txIndex: Number(log.transactionIndex),
    logIndex: index,
    address: log.address.toLowerCase(),
    topics: log.topics,
    data: log.data,
    from: addressOf(log.topics[1]),
    to: addressOf(log.topics[2]),
    value: BigInt(log.data).toString(),
    log,
  };
}
