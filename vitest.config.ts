import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Hundreds of processes load the same modules: test workers, and the servers and commands that they start. With this
// cache, each module is compiled only once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

/** The slowest files and folders. If one of them started last, the other workers would wait for it. */
const longFiles = [
  '/docs/test/',
  '/e2e/docs-site.test.ts',
  '/packages/cli/test/backup/',
  '/packages/server/src/features/events/events-subscription.load.test.ts',
  '/packages/server/src/features/events/feed/feed.test.ts',
  '/packages/server/test/access/',
  '/packages/server/test/faults/',
  '/packages/server/test/processes/',
]

/** Runs the long files first. Within each group, the seed determines the random order. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const key = ({ moduleId }: TestSpecification): string =>
      `${longFiles.some((path) => moduleId.includes(path)) ? 1 : 2} ${hash('sha1', sequence.seed + moduleId.slice(root.length))}`
    const keys = new Map(files.map((file) => [file, key(file)]))
    return files.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
  }
}

export default defineConfig({
  // Other packages load the CommonJS build of graphql and reject objects of the ES module build, which Vite would load.
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
      // The gates require a cluster.
      ...(process.env.MUSTER_TEST_CLUSTER_FOLDER === undefined ? [] : ['packages/server/test/cluster/gates/*.gate.ts']),
    ],
    globalSetup: ['packages/server/test/global-setup.ts'],
    // Tests start servers and databases, which takes a long time on a slow machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { shuffle: true, sequencer: LongFilesFirst },
    // Files in one worker share modules, which keep no state. Loading them for each file would take a quarter of the
    // run's time.
    isolate: false,
    // Tests spend much of their time waiting for processes and databases.
    maxWorkers: 5,
  },
})
