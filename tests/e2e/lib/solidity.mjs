// SPDX-License-Identifier: MIT
// Contracts compiled where the test stands, so that what they emit is what a compiler makes of it.
import solc from 'solc';
import { hex } from './anvil.mjs';

/** name → {abi, bytecode, selectors} of every contract in a source. */
export function compile(source) {
  const input = {
    language: 'Solidity',
    sources: {
      'test.sol': {
        content: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n${source}`,
      },
    },
    settings: {
      evmVersion: 'paris',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.methodIdentifiers'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((e) => e.severity === 'error');
  if (errors.length) throw new Error(errors.map((e) => e.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(output.contracts['test.sol']).map(([name, c]) => [
      name,
      { abi: c.abi, bytecode: `0x${c.evm.bytecode.object}`, selectors: c.evm.methodIdentifiers },
    ]),
  );
}

/** Mines the contract in a block of its own; its address, in lower case. */
export async function deploy(anvil, contract) {
  const hash = await anvil.rpc('eth_sendTransaction', {
    from: anvil.accounts[0],
    data: contract.bytecode,
    gas: hex(5_000_000),
  });
  await anvil.mine();
  return (await anvil.receipt(hash)).contractAddress.toLowerCase();
}

/** Calls a function without parameters and mines it; its receipt. */
export async function run(anvil, address, contract, signature = 'run()') {
  const hash = await anvil.rpc('eth_sendTransaction', {
    from: anvil.accounts[0],
    to: address,
    data: `0x${contract.selectors[signature]}`,
    gas: hex(3_000_000),
  });
  await anvil.mine();
  return anvil.receipt(hash);
}
