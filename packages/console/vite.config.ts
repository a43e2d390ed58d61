import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressBuild } from './build/compress-build.ts'
import { overviewHtml } from './build/overview-html.ts'
import { serviceWorker } from './build/service-worker.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** `vite dev` forwards requests for the paths in `proxy` to this server. Default: the address of `npm start`. */
const server = process.env.MUSTER_URL ?? 'http://127.0.0.1:4000'

export default defineConfig({
  root: path('.'),
  plugins: [react(), serviceWorker(), overviewHtml(), compressBuild()],
  // Log only warnings and errors, because users build the console when they install Muster.
  logLevel: 'warn',
  build: {
    outDir: path('dist'),
    emptyOutDir: true,
    // Tests use the manifest to find the files that a page loads.
    manifest: true,
    target: 'es2022',
    // All supported browsers preload modules without the polyfill.
    modulePreload: { polyfill: false },
    // Embed no files as data: URLs, which the Content-Security-Policy allows only for images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      // Omit warnings about directives such as "use no memo", which are for a compiler that this build does not use.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
      input: { index: path('index.html'), overview: path('src/overview.ts'), doc: path('doc.html') },
      output: {
        // Leave out the modules' names, which would add 3 KB to the scripts of the first page.
        chunkFileNames: 'assets/[hash].js',
        // Put these libraries into separate files. They rarely change, so they stay cached across releases. The group
        // `graphql` also contains modules that overview.ts imports.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: 'graphql',
              test: /node_modules\/(@urql|wonka|@0no-co)\/|src\/(graphql\/client|features\/overview\/request-overview)\.ts/,
            },
            { name: 'base', test: /node_modules\/(@tanstack\/(react-)?(router|history|store)|urql\/)/ },
          ],
        },
      },
    },
  },
  // Build workers as modules, because the editor on the reference page uses workers with dynamic imports.
  worker: { format: 'es' },
  server: {
    port: 4220,
    proxy: Object.fromEntries(
      ['/graphql', '/auth', '/healthz', '^/[a-z-]+/v1\\.csv'].map((prefix) => [prefix, server]),
    ),
  },
})
