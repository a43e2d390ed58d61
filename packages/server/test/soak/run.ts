/**
 * `npm run test:soak -- [--minutes N] [--warm-up N] [--rate N] [--devices N] [--every SECONDS]` runs a server under
 * load. `--warm-up` is in minutes, `--rate` is the target number of requests per second, and `--every` is the interval
 * between the reports of a device. Exits with code 1 if a check in `checks.ts` fails.
 */

import { checkResults } from './checks.ts'
import { startEnvironment } from './environment.ts'
import { startFleet } from './fleet-process.ts'
import { type Load, sendOnce, startLoad } from './load.ts'
import { collect, measure } from './measure.ts'
import { readOptions } from './options.ts'
import { printReport } from './report.ts'
import { findSustainedRate } from './sustained-rate.ts'

const CONNECTED_WITHIN_S = 900
const DELIVERED_WITHIN_S = 120

const options = readOptions()
const environment = await startEnvironment(options.devices)
const fleet = await startFleet()
let load: Load | undefined
try {
  const before = await environment.countChanges()
  await connectAll()
  console.log(`warming up for ${options.warmUpMinutes} minutes`)
  load = startLoad(environment, options.rate)
  const rate = await findSustainedRate(load, options.rate, options.warmUpMinutes)
  const failuresBefore = { ...fleet.state().failures }
  const measured = await measure(environment, load, options.minutes)
  await load.stop()
  collect(measured, load.take())

  const changes = (await environment.countChanges()) - before
  const { received } = await fleet.until((state) => state.received >= changes, DELIVERED_WITHIN_S).catch(fleet.state)
  const { failures, forged } = fleet.state()
  const undelivered = Math.max(0, changes - received)
  const errors = { ...measured.errors, ...since(failures, failuresBefore) }
  const checks = checkResults({ ...measured, errors, devices: options.devices, undelivered, forged })
  printReport({ options, measured, rate, changes, undelivered, checks })
  if (checks.failures.length > 0) process.exitCode = 1
} finally {
  await load?.stop()
  await fleet.stop()
  await environment.stop()
}

async function connectAll(): Promise<void> {
  const { devices, every } = options
  const { createWebhook } = await sendOnce<{ createWebhook: { secret: string } }>(
    environment,
    `mutation { createWebhook(url: "${fleet.state().receiver}", events: [ATTRIBUTE_CHANGE]) { secret } }`,
  )
  fleet.send({ kind: 'receive', secret: createWebhook.secret })
  console.log(`connecting ${devices} devices, ${(devices / every).toFixed(0)} per second`)
  fleet.send({ kind: 'connect', broker: environment.broker, devices: environment.devices, every })
  await fleet.until(({ connected }) => connected === devices, CONNECTED_WITHIN_S)
}

/** Returns the device failures since `before` was recorded. */
function since(now: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const grown = Object.entries(now).map(([failure, count]): [string, number] => [
    failure,
    count - (before[failure] ?? 0),
  ])
  return Object.fromEntries(
    grown.filter(([, count]) => count > 0).map(([failure, count]) => [`device: ${failure}`, count]),
  )
}
