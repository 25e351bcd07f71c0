// SPDX-License-Identifier: MIT
// Builds the dashboard and writes it as a C++ source; CMake calls it (cmake/dashboard.cmake).
// Usage: node embed.mjs NPM FOLDER → FOLDER/dist and FOLDER/page_files.cpp
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const web = path.dirname(fileURLToPath(import.meta.url));
const [npm, out] = process.argv.slice(2);
const dist = path.join(out, 'dist');
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function run(...args) {
  try {
    execFileSync(npm, args, { cwd: web, stdio: 'pipe' });
  } catch (error) {
    process.stderr.write(
      `web: npm ${args.join(' ')} failed\n${error.stdout ?? ''}${error.stderr ?? error}\n`,
    );
    process.stderr.write(
      'web: -DTIDEMARK_DASHBOARD=OFF builds the program without its dashboard\n',
    );
    process.exit(1);
  }
}

/** Whether node_modules is as the lock file says. */
function installed() {
  try {
    const lock = fs.statSync(path.join(web, 'package-lock.json')).mtimeMs;
    return fs.statSync(path.join(web, 'node_modules/.package-lock.json')).mtimeMs >= lock;
  } catch {
    return false;
  }
}

if (!installed()) {
  run('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
  const now = new Date();
  fs.utimesSync(path.join(web, 'node_modules/.package-lock.json'), now, now);
}
run('run', 'build', '--', '--outDir', dist, '--emptyOutDir', '--logLevel', 'error');

const files = fs
  .readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
  .sort();
const arrays = [];
const rows = [];
for (const [i, file] of files.entries()) {
  const type = types[path.extname(file)];
  if (!type) throw new Error(`web: no Content-Type for ${file}`);
  const plain = fs.readFileSync(file);
  const gzip = gzipSync(plain, { level: 9 });
  const small = gzip.length < plain.length;
  const name = path.relative(dist, file).split(path.sep).join('/');
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  arrays.push(`constexpr unsigned char plain_${i}[] = {${[...plain].join(',')}};`);
  if (small) arrays.push(`constexpr unsigned char gzip_${i}[] = {${[...gzip].join(',')}};`);
  rows.push(
    `    {"${name === 'index.html' ? '' : name}", "${type}", "${digest}", plain_${i}, ${small ? `gzip_${i}` : '{}'}},`,
  );
}
fs.writeFileSync(
  path.join(out, 'page_files.cpp'),
  `// Made by web/embed.mjs
#include "api/page_files.hpp"

namespace tidemark::api {
namespace {

${arrays.join('\n')}

constexpr page_file files[] = {
${rows.join('\n')}
};

} // namespace

std::span<const page_file> page_files() { return files; }

} // namespace tidemark::api
`,
);
