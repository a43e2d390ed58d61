import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The standalone benchmarks. They share no database. The README in a benchmark's folder describes its output. */
export const scripts = [
  'bulk/import',
  'webhooks/latency',
  'webhooks/throughput',
  'webhooks/write-rate',
  'webhooks/kills',
  'mqtt/fleet',
  'console/device-list',
  'console/first-load',
  'console/search',
  'access/restricted-key',
  'growth/growth',
  'history/attribute-history',
  'processes/start',
  'processes/workers',
]

export async function runScript(name: string, args: readonly string[]): Promise<void> {
  if (!scripts.includes(name))
    throw new Error(`Unknown standalone benchmark "${name}". Use one of these: ${scripts.join(', ')}.`)
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../${name}.ts`, import.meta.url)), ...args], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'close')
  process.exitCode = code ?? 1
}
