import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressBuild } from './build/compress-build.ts'
import { serviceWorker } from './build/service-worker.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Where `vite dev` finds the API: a server that was started by `npm start`. */
const server = process.env.MUSTER_URL ?? 'http://127.0.0.1:4000'

export default defineConfig({
  root: path('.'),
  plugins: [react(), serviceWorker(), compressBuild()],
  build: {
    outDir: path('dist'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the pages allows no inline script; browsers that need this polyfill are older than the target.
    modulePreload: { polyfill: false },
    // A file written into the page as data: would be refused by the same policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: { index: path('index.html'), doc: path('doc.html') },
      output: {
        // Changes rarely and is needed at once: one file that stays in the browser's cache from release to release.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: 'base',
              test: /node_modules\/(@tanstack\/(react-)?(router|history|store)|urql|@urql|wonka|@0no-co)/,
            },
          ],
        },
      },
    },
  },
  // The editor's workers on the reference page load parts of themselves.
  worker: { format: 'es' },
  server: {
    port: 4220,
    proxy: Object.fromEntries(['/graphql', '/auth', '/healthz', '/downloads'].map((prefix) => [prefix, server])),
  },
})
