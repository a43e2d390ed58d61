import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressBuild } from './build/compress-build.ts'
import { serviceWorker } from './build/service-worker.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The server that `vite dev` forwards API requests to, started by `npm start`. */
const server = process.env.MUSTER_URL ?? 'http://127.0.0.1:4000'

export default defineConfig({
  root: path('.'),
  plugins: [react(), serviceWorker(), compressBuild()],
  // Users build the console when they install Muster, and need to see only problems.
  logLevel: 'warn',
  build: {
    outDir: path('dist'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no inline scripts. Browsers that need this polyfill are older than the target.
    modulePreload: { polyfill: false },
    // The same policy blocks files that are embedded as data: URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      // Directives such as "use no memo" are for a compiler that this build does not use.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
      input: { index: path('index.html'), doc: path('doc.html') },
      output: {
        // These libraries rarely change and are needed first. As separate files, they stay cached across releases.
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
  // The workers of the reference page's editor use dynamic imports.
  worker: { format: 'es' },
  server: {
    port: 4220,
    proxy: Object.fromEntries(['/graphql', '/auth', '/healthz', '/downloads'].map((prefix) => [prefix, server])),
  },
})
