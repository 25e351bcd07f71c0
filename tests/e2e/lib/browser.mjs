// SPDX-License-Identifier: MIT
// The dashboard in Debian's Chromium, as a person sees it; and what must hold of every page.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { scenario } from './world.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (file) => fs.existsSync(file),
);
/** Why there is no browser to test with, or undefined. */
const missing = program ? undefined : 'there is no chromium here: scripts/install brings it';

const screens = {
  light: { viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
  phone: {
    viewport: { width: 375, height: 780 },
    colorScheme: 'light',
    deviceScaleFactor: 2,
    hasTouch: true,
  },
};

class Browser {
  async start() {
    this.browser = await chromium.launch({ executablePath: program });
    return this;
  }
  stop() {
    return this.browser?.close();
  }

  /** A page on the daemon's dashboard; what its console says wrong, and whom it asks, is kept. */
  async open(daemon, { screen = 'light', token, at = '' } = {}) {
    const context = await this.browser.newContext(screens[screen]);
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    page.wrong = [];
    page.asked = [];
    page.on('console', (m) => {
      if (['error', 'warning'].includes(m.type()))
        page.wrong.push(`${m.text()} ${m.location().url}`);
    });
    page.on('pageerror', (error) => page.wrong.push(error.stack));
    page.on('request', (request) => page.asked.push(request.url()));
    const base = `http://${daemon.admin}/`;
    page.at = (view) => page.goto(`${base}#/${view}`);
    if (token) await page.addInitScript((t) => sessionStorage.setItem('tidemark-token', t), token);
    await page.at(at);
    return page;
  }
}

/** What axe finds on the page as it stands: nothing. */
export async function accessible(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const said = violations.map(
    (v) =>
      `${v.id}: ${v.help}\n${v.nodes.map((n) => `  ${n.html}\n  ${n.failureSummary}`).join('\n')}`,
  );
  assert.deepEqual(said, [], `axe on ${where}`);
}

/** Nothing is wider than the screen. */
export async function fitting(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${where} is ${over} px too wide`);
}

/** Kept where TIDEMARK_SHOTS says, for people to look at. */
export async function shoot(page, name) {
  const folder = process.env.TIDEMARK_SHOTS;
  if (!folder) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.waitForTimeout(500); // until what moves stands
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

/** A scenario with a browser beside the world. */
export function seen(name, options, body) {
  scenario(name, { timeout: 120_000, ...options }, async (world, t) => {
    if (missing) return t.skip(missing);
    const browser = await new Browser().start();
    world.others.push(browser);
    await body(world, browser, t);
  });
}
