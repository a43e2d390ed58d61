import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startServerProcess } from '../environment/server-process.ts'
import { startEnvironment } from '../environment/start-environment.ts'
import { systems } from '../environment/systems.ts'
import { spreadOf } from '../report/statistics.ts'

const [rounds = 5] = process.argv.slice(2).map(Number)
const muster = fileURLToPath(new URL('../../packages/cli/bin/muster.js', import.meta.url))

const environment = await startEnvironment({ devices: 1_000, services: 4, profile: undefined })
const { folder } = environment.database

/** Starts and stops a server with an embedded database. Returns the seconds until the server was ready. */
async function start(data: string): Promise<number> {
  const began = performance.now()
  const env = { ...systems.server.env, MUSTER_DATA: data, MUSTER_MQTT_PORT: '0' }
  const server = await startServerProcess({ args: systems.server.args, env, log: join(folder, 'start.log') })
  while (!(await fetch(`${server.url}/readyz`)).ok) await sleep(10)
  const seconds = secondsSince(began)
  await server.stop()
  return seconds
}

async function listDevices(): Promise<number> {
  const { url } = await environment.processOf('server')
  const { keyId, key } = environment.accessKey
  if (key.algorithm !== 'hmac-sha256')
    throw new Error(`The algorithm of the access key must be hmac-sha256, not ${key.algorithm}.`)
  const secret = Buffer.from(key.secret).toString('base64')
  const began = performance.now()
  const child = spawn(process.execPath, [muster, 'devices', 'list'], {
    env: { PATH: process.env.PATH, MUSTER_URL: url, MUSTER_ACCESS_KEY_ID: keyId, MUSTER_SECRET_ACCESS_KEY: secret },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0)
    throw new Error(`"muster devices list" ended with ${signal ? `signal ${signal}` : `exit code ${code}`}.`)
  return secondsSince(began)
}

const secondsSince = (began: number): number => (performance.now() - began) / 1_000

async function repeat(measure: (round: number) => Promise<number>): Promise<object> {
  const seconds: number[] = []
  for (let round = 1; round <= rounds; round++) seconds.push(await measure(round))
  const { median, min, max } = spreadOf(seconds)
  return { median: median.toFixed(2), min: min.toFixed(2), max: max.toFixed(2) }
}

try {
  console.log('Seconds until the server is ready, or the command ends:')
  console.table({
    'first start, with a new embedded database': await repeat((round) => start(join(folder, `data ${round}`))),
    'next start': await repeat((round) => start(join(folder, `data ${round}`))),
    'muster devices list': await repeat(listDevices),
  })
} finally {
  await environment.close()
}
