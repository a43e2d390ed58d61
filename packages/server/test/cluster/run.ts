/**
 * `npm run test:cluster -- [FILE...]` runs tests of the server on a Citus cluster with three nodes: the files or folders
 * given, or those in `tests.ts`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findCitus, startNodes } from './nodes.ts'
import { excludedFiles, excludedTests, included } from './tests.ts'

const nodes = await startNodes(await findCitus())
try {
  const files = process.argv.slice(2)
  const names = Object.keys(excludedTests).map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const child = spawn(
    'vitest',
    [
      'run',
      ...(files.length > 0 ? files : included),
      ...Object.keys(excludedFiles).flatMap((file) => ['--exclude', `**/${file}`]),
      ...(names.length > 0 ? ['--testNamePattern', `^(?!.*(${names.join('|')}))`] : []),
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        MUSTER_TEST_DATABASE_URL: nodes.url,
        MUSTER_TEST_CLUSTER_WORKERS: nodes.workers.join(','),
      },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await nodes.stop()
}
