// SPDX-License-Identifier: MIT
// Processes that end with this one, however it ends, but not by a Ctrl-C that is meant for it alone.
import { spawn } from 'node:child_process';

const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** As spawn, in a process group of its own: whoever started it decides when and how it ends. */
export function start(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}
