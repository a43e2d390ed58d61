/**
 * `npm run test:soak -- [--minutes N] [--warm-up N] [--rate N] [--devices N] [--every SECONDS]`: ends with 1 where something of
 * `verdict.ts` does not hold.
 */
import { startFleet } from './fleet-process.ts'
import { layGround } from './ground.ts'
import { findHeldRate } from './held-rate.ts'
import { askOnce, type Load, startLoad } from './load.ts'
import { collect, measure } from './measure.ts'
import { readOptions } from './options.ts'
import { printReport } from './report.ts'
import { judge } from './verdict.ts'

const CONNECTED_WITHIN_S = 900
const DELIVERED_WITHIN_S = 120

const options = readOptions()
const ground = await layGround(options.devices)
const fleet = await startFleet()
let load: Load | undefined
try {
  const before = await ground.countChanges()
  await connectAll()
  console.log(`warming up for ${options.warmUpMinutes} minutes`)
  load = startLoad(ground, options.rate)
  const rate = await findHeldRate(load, options.rate, options.warmUpMinutes)
  const failuresBefore = { ...fleet.state().failures }
  const measured = await measure(ground, load, options.minutes)
  await load.stop()
  collect(measured, load.take())

  const changes = (await ground.countChanges()) - before
  const { received } = await fleet.until((state) => state.received >= changes, DELIVERED_WITHIN_S).catch(fleet.state)
  const { failures, forged } = fleet.state()
  const untold = Math.max(0, changes - received)
  const errors = { ...measured.errors, ...since(failures, failuresBefore) }
  const verdict = judge({ samples: measured.samples, errors, devices: options.devices, untold, forged })
  printReport({ options, measured, rate, changes, untold, verdict })
  if (verdict.failures.length > 0) process.exitCode = 1
} finally {
  await load?.stop()
  await fleet.stop()
  await ground.stop()
}

async function connectAll(): Promise<void> {
  const { devices, every } = options
  const { createWebhook } = await askOnce<{ createWebhook: { secret: string } }>(
    ground,
    `mutation { createWebhook(url: "${fleet.state().receiver}", events: [ATTRIBUTE_CHANGE]) { secret } }`,
  )
  fleet.order({ kind: 'receive', secret: createWebhook.secret })
  console.log(`${devices} devices connect, ${(devices / every).toFixed(0)} a second`)
  fleet.order({ kind: 'connect', broker: ground.broker, devices: ground.devices, every })
  await fleet.until(({ connected }) => connected === devices, CONNECTED_WITHIN_S)
}

/** What went wrong with devices since then. */
function since(now: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const grown = Object.entries(now).map(([what, count]): [string, number] => [what, count - (before[what] ?? 0)])
  return Object.fromEntries(grown.filter(([, count]) => count > 0).map(([what, count]) => [`device: ${what}`, count]))
}
