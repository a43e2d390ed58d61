import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Measurements that stand for themselves, each with a database of its own; their folders' READMEs say what they print. */
export const scripts = [
  'webhooks/latency',
  'webhooks/throughput',
  'webhooks/write-rate',
  'webhooks/kills',
  'mqtt/fleet',
  'console/device-list',
  'growth/growth',
  'processes/workers',
]

/** Runs one as if it had been called, and ends as it does. */
export async function runScript(name: string, args: readonly string[]): Promise<void> {
  if (!scripts.includes(name)) throw new Error(`no script ${name}: there are ${scripts.join(', ')}`)
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../${name}.ts`, import.meta.url)), ...args], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'close')
  process.exitCode = code ?? 1
}
