// SPDX-License-Identifier: MIT
// The Debian package of what was built: what is in it, and what installing, upgrading, removing and
// purging it do, in a copy of this system that nobody else sees (an overlay, in a mount namespace).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary } from './lib/daemon.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-package-'));
after(() => fs.rmSync(dir, { recursive: true, force: true }));
const run = (name, args) => {
  const done = spawnSync(name, args, { encoding: 'utf8', cwd: root, timeout: 120_000 });
  assert.equal(done.status, 0, `${name} ${args.join(' ')}: ${done.error ?? ''}${done.stdout}${done.stderr}`);
  return done.stdout;
};
const made = () => {
  const said = run('scripts/package', ['--of', path.dirname(binary), '--to', dir]);
  return said.trim().split('\n').at(-1);
};
let deb;

test('what is in it', { timeout: 150_000 }, () => {
  deb = made();
  assert.match(path.basename(deb), /^tidemark_[\d.]+_(amd64|arm64)\.deb$/);
  const files = new Map(
    run('dpkg-deb', ['-c', deb])
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/))
      .map(([mode, owner, , , , name]) => [name.slice(1), { mode, owner }]),
  );
  for (const [name, { mode, owner }] of files) {
    assert.equal(owner, 'root/root', name);
    const want = name.endsWith('/') ? 'drwxr-xr-x' : name === '/usr/bin/tidemark' ? '-rwxr-xr-x' : '-rw-r--r--';
    assert.equal(mode, want, name);
  }
  for (const name of [
    '/usr/bin/tidemark',
    '/usr/lib/systemd/system/tidemark.service',
    '/usr/lib/systemd/system/tidemark-ingest.socket',
    '/usr/lib/systemd/system/tidemark-admin.socket',
    '/usr/lib/sysusers.d/tidemark.conf',
    '/usr/lib/tmpfiles.d/tidemark.conf',
    '/usr/share/man/man1/tidemark.1.gz',
    '/usr/share/bash-completion/completions/tidemark',
    '/usr/share/doc/tidemark/copyright',
    '/usr/share/lintian/overrides/tidemark',
    '/usr/share/doc/tidemark/changelog.gz',
    '/usr/share/doc/tidemark/alerts.yml',
    '/usr/share/doc/tidemark/docs/operating.md',
  ])
    assert.ok(files.has(name), name);
  assert.ok(![...files.keys()].some((name) => /^\/(etc|var)\//.test(name)), 'nothing that dpkg would overwrite');
  const field = (name) => run('dpkg-deb', ['-f', deb, name]).trim();
  assert.match(field('Depends'), /\bca-certificates\b/);
  for (const library of ['libcaf-core', 'libsqlite3-0', 'libssl3', 'libyaml-cpp', 'libc6'])
    assert.ok(field('Depends').includes(library), library);
});

// In the copy. `systemctl` there writes down what it is told.
const story = String.raw`
set -eu
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mkdir -p "$1/root/run/systemd/system" "$1/root/debs"
cp "$2" "$1/root/debs/one.deb"
cp "$3" "$1/root/debs/two.deb"
chroot "$1/root" /bin/sh -eu <<'IN'
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH DEBIAN_FRONTEND=noninteractive
dpkg --purge tidemark >/dev/null 2>&1 || true
rm -rf /etc/tidemark /var/lib/tidemark
rm -f /usr/sbin/policy-rc.d # a container's says no; an admin's is obeyed, last
printf '#!/bin/sh\necho "$*" >>/told\n' >/usr/local/sbin/systemctl
chmod 755 /usr/local/sbin/systemctl
told() { cat /told 2>/dev/null || true; rm -f /told; }
say() { echo "== $1"; }
say installed
dpkg -i --force-depends /debs/one.deb >/log 2>&1 || { cat /log; exit 1; }
told
stat -c '%a %U:%G %n' /etc/tidemark /etc/tidemark/tidemark.yaml /etc/tidemark/secrets /var/lib/tidemark
grep '^  path:' /etc/tidemark/tidemark.yaml
tidemark check >/dev/null && echo 'the starter passes'
tidemark version | head -1
echo '# mine' >>/etc/tidemark/tidemark.yaml
cp /etc/tidemark/tidemark.yaml /mine
echo data >/var/lib/tidemark/tidemark.db
say upgraded
dpkg -i --force-depends /debs/two.deb >/log 2>&1 </dev/null || { cat /log; exit 1; }
told
cmp /mine /etc/tidemark/tidemark.yaml && cat /var/lib/tidemark/tidemark.db
say removed
dpkg -r tidemark >/log 2>&1 || { cat /log; exit 1; }
told
test ! -e /usr/bin/tidemark && cmp /mine /etc/tidemark/tidemark.yaml && cat /var/lib/tidemark/tidemark.db
say again
dpkg -i --force-depends /debs/two.deb >/log 2>&1 </dev/null || { cat /log; exit 1; }
told
cmp /mine /etc/tidemark/tidemark.yaml && echo same
say forbidden
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
dpkg -i --force-depends /debs/two.deb >/log 2>&1 </dev/null || { cat /log; exit 1; }
told
say purged
dpkg -P tidemark >/log 2>&1 || { cat /log; exit 1; }
grep -o 'is kept' /log
told
test ! -e /etc/tidemark && cat /var/lib/tidemark/tidemark.db
dpkg -L tidemark 2>/dev/null || echo 'nothing is left of it'
IN
`;

test('installed, upgraded, removed, purged', { timeout: 150_000 }, (t) => {
  if (process.getuid() !== 0) return t.skip('only root can make a copy of the system');
  const space = path.join(dir, 'space');
  fs.mkdirSync(space);
  const tried = spawnSync('unshare', ['-m', 'sh', '-ec', 'mount -t tmpfs none "$0"; mkdir "$0/u" "$0/w" "$0/m"; mount -t overlay none -o "lowerdir=/,upperdir=$0/u,workdir=$0/w" "$0/m"', space]);
  if (tried.status !== 0) return t.skip('this kernel gives no overlay');
  deb ??= made();
  const tree = path.join(dir, 'newer');
  run('dpkg-deb', ['-R', deb, tree]);
  const control = path.join(tree, 'DEBIAN/control');
  fs.writeFileSync(control, fs.readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 99.0'));
  run('dpkg-deb', ['-Zgzip', '-z1', '-b', tree, path.join(dir, 'newer.deb')]);
  const done = spawnSync('unshare', ['-m', 'sh', '-c', story, 'sh', space, deb, path.join(dir, 'newer.deb')], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  const parts = Object.fromEntries(
    done.stdout.split(/^== /m).slice(1).map((text) => {
      const [name, ...lines] = text.trim().split('\n');
      return [name, lines];
    }),
  );
  const runs = ['daemon-reload', 'try-restart tidemark.service'];
  assert.deepEqual(parts.installed, [
    ...runs,
    '750 root:tidemark /etc/tidemark',
    '640 root:tidemark /etc/tidemark/tidemark.yaml',
    '700 root:root /etc/tidemark/secrets',
    '700 tidemark:tidemark /var/lib/tidemark',
    '  path: /var/lib/tidemark/tidemark.db',
    'the starter passes',
    run(binary, ['version']).split('\n')[0],
  ]);
  // The sockets are not touched, so no webhook is refused.
  assert.ok(parts.upgraded.includes('try-restart tidemark.service'));
  assert.ok(!parts.upgraded.some((line) => /socket|stop|disable/.test(line)), parts.upgraded.join());
  assert.equal(parts.upgraded.at(-1), 'data', 'config and store are as they were');
  const units = 'tidemark-ingest.socket tidemark-admin.socket tidemark.service';
  assert.deepEqual(parts.removed.slice(0, 2), [`stop ${units}`, `--quiet disable ${units}`]);
  assert.equal(parts.removed.at(-1), 'data', 'config and store stay');
  assert.equal(parts.again.at(-1), 'same');
  assert.ok(!parts.forbidden.some((line) => /restart/.test(line)), 'policy-rc.d has the last word');
  assert.equal(parts.purged[0], 'is kept');
  assert.deepEqual(parts.purged.slice(-2), ['data', 'nothing is left of it']);
});
