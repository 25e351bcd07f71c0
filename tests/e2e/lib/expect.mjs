// SPDX-License-Identifier: MIT
// What a message must say, member by member, and what must hold over all messages of a handler.
import assert from 'node:assert/strict';

const letter = { pending: 'p', confirmed: 'c', rolled_back: 'r' };

/**
 * The id that contract §4.1 gives to the n-th time that this transfer reaches a status in its
 * block.
 */
export function messageId(transfer, status, n = 1) {
  return `${transfer.eventId.replaceAll(':', '_')}_${transfer.blockHash.slice(2, 18)}_${letter[status]}${n}`;
}

export const rfc3339 = (seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/**
 * The `data` of an event. `status`, `version` and `firstSeen` are the test's to say; `head` is the
 * decider's and taken from `given` once it is plausible.
 */
export function expectedData(
  transfer,
  given,
  {
    status,
    version = 1,
    firstSeen,
    subscriptions = ['transfers'],
    replaces = null,
    undoes,
    why = 'reorg',
    policies = [{ policy: 'quick', blocks: 2, tag: null }],
  },
) {
  assert.ok(Number.isInteger(given.head), 'head is a number');
  assert.ok(given.head >= transfer.block, 'the head is not below the block');
  if (status === 'confirmed') {
    for (const { blocks } of policies) {
      if (blocks !== null)
        assert.ok(
          given.head - transfer.block >= blocks,
          `confirmed at ${given.head}, block ${transfer.block}, asks for ${blocks}`,
        );
    }
  }
  if (Array.isArray(firstSeen))
    assert.ok(firstSeen.includes(given.first_seen), `first_seen ${given.first_seen}`);
  return {
    event_id: transfer.eventId,
    logical_id: transfer.logicalId,
    version,
    status,
    kind: 'log',
    chain: 'local',
    chain_id: 31337,
    subscriptions,
    block: { number: transfer.block, hash: transfer.blockHash, timestamp: transfer.time },
    transaction: { hash: transfer.tx, index: transfer.txIndex },
    ...(transfer.says ?? {
      log_index: transfer.logIndex,
      address: transfer.address,
      topics: transfer.topics,
      data: transfer.data,
      event: 'Transfer',
      args: { from: transfer.from, to: transfer.to, value: transfer.value },
    }),
    confirmations: policies,
    head: given.head,
    first_seen: Array.isArray(firstSeen) ? given.first_seen : firstSeen,
    replaces,
    ...(status === 'rolled_back' ? { undoes, why } : {}),
  };
}

/** A whole message: headers, envelope and data. */
export function checkMessage(message, transfer, expected) {
  const {
    status,
    n = 1,
    subscription = 'transfers',
    key = `31337:${transfer.address}`,
    epoch = 1,
    instance = 'test',
    handler = 'app',
    contentType = 'application/cloudevents+json',
    late,
  } = expected;
  const { event } = message;
  assert.equal(message.method, 'POST');
  assert.equal(message.headers['content-type'], contentType);
  assert.match(message.headers['user-agent'], /^tidemark\/\d+\.\d+/);
  assert.match(message.headers['tidemark-attempt'], /^[1-9]\d*$/);
  assert.match(event.sequence, /^\d{20}$/);
  assert.deepEqual(event, {
    specversion: '1.0',
    id: messageId(transfer, status, n),
    source: `/tidemark/${instance}/${handler}`,
    type: `tidemark.event.${status}`,
    subject: transfer.eventId,
    time: rfc3339(transfer.time),
    datacontenttype: 'application/json',
    dataschema: 'urn:tidemark:event:1',
    subscription,
    partitionkey: key,
    sequence: event.sequence,
    epoch,
    ...(late ? { late: true } : {}),
    data: expectedData(transfer, event.data, expected),
  });
}

/** An item of /v1/feed. */
export function checkFeedItem(item, transfer, expected) {
  const { status, n = 1, instance = 'test' } = expected;
  assert.ok(Number.isInteger(item.seq) && item.seq > 0, `seq ${item.seq}`);
  const { late, ...rest } = item; // the contract leaves open whether the feed says it
  assert.deepEqual(rest, {
    seq: item.seq,
    specversion: '1.0',
    id: messageId(transfer, status, n),
    source: `/tidemark/${instance}`,
    type: `tidemark.event.${status}`,
    subject: transfer.eventId,
    time: rfc3339(transfer.time),
    datacontenttype: 'application/json',
    dataschema: 'urn:tidemark:event:1',
    data: expectedData(transfer, item.data, expected),
  });
}

/** Holds for every handler at any time, whatever happened. */
export function checkStanding(handler) {
  assert.deepEqual(handler.faults, []);
  const last = new Map(); // event → its last acknowledged message
  const sequences = new Map(); // key → the last sequence of a first arrival
  const arrived = new Set();
  for (const message of handler.requests) {
    // A parked message that was retried has its id and another sequence.
    const place = `${message.id} ${message.event.sequence}`;
    if (arrived.has(place) || !message.key) continue;
    arrived.add(place);
    const sequence = BigInt(message.event.sequence);
    const before = sequences.get(message.key);
    if (before === undefined)
      assert.ok(sequence <= 1n, `the first of ${message.key} is ${sequence}`);
    else if (message.type === 'tidemark.gap' && sequence === before)
      continue; // it has the place of what was tried and parked
    else
      assert.equal(
        sequence,
        before + 1n,
        `${message.key} counts without holes, in order (${message.id})`,
      );
    sequences.set(message.key, sequence);
  }
  for (const message of handler.accepted) {
    if (!message.type.startsWith('tidemark.event.')) continue; // gap, epoch, ping
    const { event_id: id, status, version, undoes, block } = message.data;
    const before = last.get(id);
    if (before) {
      assert.ok(
        version > before.data.version,
        `versions of ${id} rise: ${before.data.version}, ${version}`,
      );
      if (status === 'pending')
        assert.equal(
          before.data.status,
          'rolled_back',
          `${id} is opened again before it was taken back`,
        );
      if (status === 'confirmed')
        assert.notEqual(before.data.status, 'confirmed', `${id} is confirmed twice`);
      if (status === 'confirmed' && before.data.status === 'pending')
        assert.equal(block.hash, before.data.block.hash);
    }
    if (status === 'rolled_back') {
      assert.ok(before, `${id} is taken back and was never told`);
      assert.notEqual(before.data.status, 'rolled_back', `${id} is taken back twice`);
      assert.equal(undoes, before.id);
      assert.equal(block.hash, before.data.block.hash, `${id} is taken back as it was told`);
    }
    last.set(id, message);
  }
}
