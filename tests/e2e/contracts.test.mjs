// SPDX-License-Identifier: MIT
// Events of real contracts: tokens of each kind, tuples and arrays, and how sure each must be.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { compile, deploy, run } from './lib/solidity.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const contracts = compile(`
contract Token20 {
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  function run() external {
    emit Transfer(address(1), address(2), 5);
    emit Transfer(address(1), address(3), 2_000_000e6);
    emit Approval(address(1), address(4), type(uint256).max);
  }
}
contract Token721 {
  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  function run() external { emit Transfer(address(0), address(2), 77); }
}
contract Token1155 {
  event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
  event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
  function batch(uint256 a, uint256 x, uint256 b, uint256 y) private {
    uint256[] memory ids = new uint256[](2);
    uint256[] memory values = new uint256[](2);
    (ids[0], ids[1], values[0], values[1]) = (a, b, x, y);
    emit TransferBatch(address(1), address(2), address(3), ids, values);
  }
  function run() external {
    emit TransferSingle(address(1), address(2), address(3), 5, 10);
    emit TransferSingle(address(1), address(2), address(3), 6, 10);
    batch(6, 1, 5, 2);
    batch(6, 1, 7, 2);
  }
}
contract Market {
  struct Item { uint8 kind; string note; }
  struct Order { address maker; Item[] items; uint256[2] range; }
  event Filled(bytes32 indexed id, string indexed name, Order order, int256[] deltas, bytes4 tag);
  event Filled(uint256 x);
  event Ghost(int24 tick) anonymous;
  function fill(address maker) private {
    Item[] memory items = new Item[](2);
    items[0] = Item(1, "caf\\u00e9");
    items[1] = Item(2, "");
    int256[] memory deltas = new int256[](2);
    (deltas[0], deltas[1]) = (-5, type(int256).min);
    emit Filled(bytes32(uint256(9)), "alice", Order(maker, items, [uint256(1), 2]), deltas, 0xdeadbeef);
  }
  function run() external {
    fill(address(0xaa));
    fill(address(0xbb));
    emit Filled(7);
    emit Ghost(-887272);
  }
}`);

const address = (n) => `0x${n.toString(16).padStart(40, '0')}`;

/** Deploys these and calls their run(); options of a scenario on them. */
const of = (names, subscriptions, more = {}) => ({
  contracts: [],
  before: async (w) => {
    for (const name of names) w[name] = await deploy(w.anvil, contracts[name]);
  },
  config: (c, w) => {
    c.subscriptions = subscriptions(w).map((s) => ({ chains: ['local'], ...s }));
    c.handlers[0].send = ['confirmed'];
    Object.assign(c.handlers[0], more.handler);
  },
});

const confirmed = (world, n) =>
  until(`${n} are confirmed`, () => world.handler.got('confirmed').length >= n);

scenario(
  'presets: each token standard by its topics, batches by their items',
  of(['Token20', 'Token721', 'Token1155'], () => [
    { name: 'money', preset: 'erc20-transfer' },
    { name: 'allowed', preset: 'erc20-approval' },
    { name: 'nfts', preset: 'erc721-transfer' },
    { name: 'editions', preset: 'erc1155-transfer', where: { id: 5 } },
  ]),
  async (world) => {
    for (const name of ['Token20', 'Token721', 'Token1155'])
      await run(world.anvil, world[name], contracts[name]);
    await world.anvil.mine(3);
    await until(
      'all are there',
      async () => (await world.daemon.all('/v1/events?status=confirmed')).length === 6,
    );
    const events = (await world.daemon.all('/v1/events')).reverse();
    assert.deepEqual(
      events.map((e) => [e.subscriptions, e.event, e.args]),
      [
        [['money'], 'Transfer', { from: address(1), to: address(2), value: '5' }],
        [['money'], 'Transfer', { from: address(1), to: address(3), value: '2000000000000' }],
        [
          ['allowed'],
          'Approval',
          { owner: address(1), spender: address(4), value: (2n ** 256n - 1n).toString() },
        ],
        [['nfts'], 'Transfer', { from: address(0), to: address(2), tokenId: '77' }],
        [
          ['editions'],
          'TransferSingle',
          { operator: address(1), from: address(2), to: address(3), id: '5', value: '10' },
        ],
        [
          ['editions'],
          'TransferBatch',
          {
            operator: address(1),
            from: address(2),
            to: address(3),
            ids: ['6', '5'],
            values: ['1', '2'],
          },
        ],
      ],
    );
    await confirmed(world, 6);
  },
);

scenario(
  'an ABI file, an overload by its signature, tuples and arrays, a field in `where`, an anonymous event',
  {
    ...of(['Market'], () => []),
    config: (c, w) => {
      fs.writeFileSync(
        path.join(w.dir, 'Market.json'),
        JSON.stringify({ abi: contracts.Market.abi }),
      );
      const on = { chains: ['local'], address: [w.Market] };
      c.subscriptions = [
        {
          ...on,
          name: 'filled',
          abi: 'Market.json',
          event: 'Filled(bytes32,string,(address,(uint8,string)[],uint256[2]),int256[],bytes4)',
          where: { 'order.maker': address(0xaa), name: 'alice' },
        },
        { ...on, name: 'ghosts', event: 'Ghost(int24) anonymous' },
      ];
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    await run(world.anvil, world.Market, contracts.Market);
    await world.anvil.mine(3);
    await confirmed(world, 2);
    const events = (await world.daemon.all('/v1/events')).reverse();
    const { hash } = events[0].args.name;
    assert.match(hash, /^0x[0-9a-f]{64}$/);
    assert.deepEqual(
      events.map((e) => [e.event, e.args]),
      [
        [
          'Filled',
          {
            id: `0x${'9'.padStart(64, '0')}`,
            name: { hash },
            order: {
              maker: address(0xaa),
              items: [
                { kind: '1', note: 'café' },
                { kind: '2', note: '' },
              ],
              range: ['1', '2'],
            },
            deltas: ['-5', (-(2n ** 255n)).toString()],
            tag: '0xdeadbeef',
          },
        ],
        ['Ghost', { arg0: '-887272' }],
      ],
    );
  },
);

scenario(
  'escalate: a large transfer waits for its own policy, and says which policies it waited for',
  of(
    ['Token20'],
    (w) => [
      {
        name: 'money',
        address: [w.Token20],
        preset: 'erc20-transfer',
        escalate: [
          { when: 'value >= 1_000_000e6', confirmations: 6 },
          { when: `to == ${address(9)}`, confirmations: 9 },
        ],
      },
    ],
    { handler: { order_by: 'arg:to' } },
  ),
  async (world) => {
    await run(world.anvil, world.Token20, contracts.Token20);
    await world.anvil.mine(3);
    const first = await until('the small one', () => world.handler.got('confirmed')[0]);
    assert.equal(first.data.args.value, '5');
    assert.deepEqual(first.data.confirmations, [{ policy: 'quick', blocks: 2, tag: null }]);
    await never('the large one', () => world.handler.got('confirmed').length > 1, 1_500);
    await world.anvil.mine(3);
    const second = await until('the large one', () => world.handler.got('confirmed')[1]);
    assert.equal(second.data.args.value, '2000000000000');
    assert.deepEqual(second.data.confirmations, [
      { policy: 'quick', blocks: 2, tag: null },
      { policy: null, blocks: 6, tag: null },
    ]);
    assert.ok(second.data.head - second.data.block.number >= 6);
  },
);

scenario(
  'escalate: to a tag that nothing else of the chain asks for',
  {
    ...of(['Token20'], (w) => [
      {
        name: 'money',
        address: [w.Token20],
        preset: 'erc20-transfer',
        escalate: [{ when: 'value > 5', confirmations: 'finalized' }],
      },
    ]),
    anvil: { slots: 4 },
  },
  async (world) => {
    await run(world.anvil, world.Token20, contracts.Token20);
    await world.anvil.mine(4);
    await until('the small one', () => world.handler.got('confirmed').length === 1);
    await never('the large one', () => world.handler.got('confirmed').length > 1, 1_000);
    await world.anvil.mine(8);
    const large = await until('the large one', () => world.handler.got('confirmed')[1]);
    assert.deepEqual(large.data.confirmations[1], { policy: null, blocks: null, tag: 'finalized' });
  },
);
