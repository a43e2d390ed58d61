/**
 * `npm run test:fairness -- [--seconds N] [--devices N] [--data FOLDER] [--rows 1,2,…]` attacks a server. Each
 * row is one kind of attack. Exits with code 1 if a row fails.
 */
import type { FleetServer } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { checkResult } from './checks.ts'
import { readOptions } from './options.ts'
import { createPopulation, findPopulation, type Population } from './population.ts'
import { quotaRows } from './quotas.ts'
import { printFailures, printTable } from './report.ts'
import { rows } from './rows.ts'
import { type Result, runRow } from './run-row.ts'
import { createServer, openDataFolder } from './server.ts'

const options = readOptions()
const isChosen = ({ name }: { name: string }): boolean => options.rows.length === 0 || options.rows.includes(name)
const { folder, close } = await openDataFolder(options.data)
try {
  const population = await openPopulation()
  const results: Result[] = []
  for (const row of rows.filter(isChosen)) {
    console.log(`row ${row.name}: ${row.attack}`)
    const seconds = Math.max(options.seconds, row.minSeconds ?? 0)
    const result = await withServer({}, (server) => runRow({ server, folder, population }, row, { seconds }))
    results.push(result)
    report(row.name, checkResult(result))
  }
  for (const row of quotaRows.filter(isChosen)) {
    const { summary, failures } = await withServer(row.env, (server) => row.run({ server, population }))
    console.log(`row ${row.name}: ${row.attack}: ${summary}`)
    report(row.name, failures)
  }
  if (results.length > 0) printTable(results)
} finally {
  await close()
}

async function openPopulation(): Promise<Population> {
  const found = await findPopulation(folder)
  return found ?? withServer({}, ({ url }) => createPopulation(folder, url, options.devices))
}

/** Runs `work` with a new server process, which starts with full quotas and no memory growth. */
async function withServer<Result>(env: Record<string, string>, work: (server: FleetServer) => Promise<Result>) {
  const server = await createServer(folder, env)
  try {
    await server.start()
    return await work(server)
  } finally {
    await server.stop()
  }
}

function report(name: string, failures: readonly string[]): void {
  printFailures(name, failures)
  if (failures.length > 0) process.exitCode = 1
}
