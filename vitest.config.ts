import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Hundreds of processes load the same modules: workers of the tests, servers and commands that they start. Compiled once, they
// are there for all of them.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  // Node takes the CommonJS build of graphql, for which all packages around it check; Vite would take the other.
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
    // Tests start servers and databases; a slow machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { shuffle: true },
    // Files of one worker share the modules, which keep nothing between them: loading them for each takes a quarter of the time.
    isolate: false,
    // Much of a test's time is waiting, for processes and databases of its own.
    maxWorkers: 5,
  },
})
