/**
 * `npm run test:cluster -- [FILE...]` runs tests of the server on a Citus cluster with three nodes. It then runs the
 * gates, which are tests and measurements of a cluster. If files or folders are given, it runs only those.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findCitus, startNodes } from './nodes.ts'
import { excludedFiles, excludedTests, included } from './tests.ts'

const GATES = 'packages/server/test/cluster/gates'
const isGate = (file: string): boolean => file.startsWith(GATES)

const bin = await findCitus()
const given = process.argv.slice(2)
const files = given.length > 0 ? given : [...included, GATES]

const suite = files.filter((file) => !isGate(file))
const names = Object.keys(excludedTests).map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
if (suite.length > 0)
  await runTests(
    [
      ...suite,
      ...Object.keys(excludedFiles).flatMap((file) => ['--exclude', `**/${file}`]),
      ...(names.length > 0 ? ['--testNamePattern', `^(?!.*(${names.join('|')}))`] : []),
      ...['--exclude', '**/*.gate.ts'],
    ],
    { isDurable: false },
  )
// Only one gate runs at a time, because gates kill nodes and move shards. The nodes for gates flush commits to the
// disk.
const gates = files.filter(isGate)
if (gates.length > 0) await runTests([...gates, '--no-file-parallelism'], { isDurable: true })

async function runTests(options: readonly string[], { isDurable }: { isDurable: boolean }): Promise<void> {
  const nodes = await startNodes({ bin, isDurable })
  try {
    const child = spawn('vitest', ['run', ...options], {
      stdio: 'inherit',
      env: {
        ...process.env,
        MUSTER_TEST_DATABASE_URL: nodes.url,
        MUSTER_TEST_CLUSTER_WORKERS: nodes.workers.join(','),
        MUSTER_TEST_CLUSTER_FOLDER: nodes.folder,
        MUSTER_TEST_CLUSTER_BIN: bin,
      },
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) process.exitCode = code ?? 1
  } finally {
    await nodes.stop()
  }
}
