/**
 * `npm run test:fairness -- [--seconds N] [--devices N] [--data FOLDER] [--rows 1,2,…]`: attacks a server and measures what another
 * user notices. Exits with 1 if a row fails.
 */
import { judge } from './judge.ts'
import { readOptions } from './options.ts'
import { createPopulation, findPopulation } from './population.ts'
import { printFailures, printTable } from './report.ts'
import { rows } from './rows.ts'
import { type Result, runRow } from './run-row.ts'
import { createServer, openDataFolder } from './server.ts'

const options = readOptions()
const chosen = rows.filter(({ name }) => options.rows.length === 0 || options.rows.includes(name))
const { folder, close } = await openDataFolder(options.data)
const server = await createServer(folder)
try {
  await server.start()
  const population = (await findPopulation(folder)) ?? (await createPopulation(folder, server.url, options.devices))
  const results: Result[] = []
  for (const row of chosen) {
    // A new process has full quotas and the memory of a fresh start.
    await server.stop()
    await server.start()
    console.log(`row ${row.name}: ${row.attack}`)
    const result = await runRow({ server, folder, population }, row, options.seconds)
    results.push(result)
    const failures = judge(result)
    printFailures(row.name, failures)
    if (failures.length > 0) process.exitCode = 1
  }
  printTable(results)
} finally {
  await server.stop()
  await close()
}
