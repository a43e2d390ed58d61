import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Hundreds of processes load the same modules: test workers, and the servers and commands that they start. Compile each
// once for all of them.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  // Node loads the CommonJS build of graphql, which other packages check for. Vite would load the ES module build.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'examples/**/*.test.ts',
      'docs/test/**/*.test.ts',
      'e2e/**/*.test.ts',
      'benchmarks/**/*.test.ts',
    ],
    globalSetup: ['packages/server/test/global-setup.ts'],
    // Tests start servers and databases. A slow machine must not fail them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { shuffle: true },
    // Files in one worker share modules, which keep no state. Loading them for each file would take a quarter of the
    // time.
    isolate: false,
    // Tests spend much of their time waiting for processes and databases.
    maxWorkers: 5,
  },
})
