// SPDX-License-Identifier: MIT
import { defineConfig } from 'vite';

export default defineConfig({
  base: './', // a proxy may serve the page below a path
  build: {
    target: 'es2021',
    assetsInlineLimit: 0, // the page's policy allows no data: URL
    modulePreload: { polyfill: false },
  },
  // `npm run dev` beside a daemon without a token; its Origin check wants its own Host.
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/metrics', '/readyz'].map((path) => [
        path,
        {
          target: process.env.TIDEMARK_ADMIN ?? 'http://127.0.0.1:8481',
          changeOrigin: true,
          headers: { origin: process.env.TIDEMARK_ADMIN ?? 'http://127.0.0.1:8481' },
        },
      ]),
    ),
  },
});
