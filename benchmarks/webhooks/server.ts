import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { signRequest } from '@muster/http-signature'
import { Agent, request } from 'undici'
import { readCredentials } from '../../packages/server/test/harness/server-process.ts'
import type { BenchmarkDatabase } from '../environment/database.ts'
import { readyUrl } from '../mqtt/fleet-server.ts'

const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname
const agent = new Agent({ connections: 256 })

export interface BenchmarkServer {
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the document
  send(document: string): Promise<any>
  stop(): Promise<void>
}

export async function startServer({ url: databaseUrl, folder }: BenchmarkDatabase): Promise<BenchmarkServer> {
  const data = join(folder, 'server')
  await mkdir(data)
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATABASE_URL: databaseUrl,
    MUSTER_DATA: data,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_MQTT_PORT: '0',
    MUSTER_LOG_LEVEL: 'warn',
    MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
    MUSTER_KEY_POINTS: '1000000000',
    MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = `${await readyUrl(child)}/graphql/v1`
  const credentials = await readCredentials(data)
  const keyId = credentials.MUSTER_ACCESS_KEY_ID!
  const secret = Buffer.from(credentials.MUSTER_SECRET_ACCESS_KEY!, 'base64')
  return {
    async send(document) {
      const body = JSON.stringify({ query: document })
      const headers = { 'content-type': 'application/json' }
      const created = Math.floor(Date.now() / 1_000)
      const key = { algorithm: 'hmac-sha256' as const, secret }
      const signature = signRequest({ keyId, key, method: 'POST', url, headers, body, created })
      const response = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: { ...headers, ...signature },
        body,
      })
      const { data: found, errors } = (await response.body.json()) as { data: unknown; errors?: unknown }
      if (errors !== undefined) throw new Error(`The response to ${document} has errors: ${JSON.stringify(errors)}`)
      return found
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

export async function registerDevices(server: BenchmarkServer, count: number): Promise<string[]> {
  const devices: string[] = []
  for (let index = 0; index < count; index++)
    devices.push(
      (await server.send('mutation { registerDevice(name: "d") { device { id } } }')).registerDevice.device.id,
    )
  return devices
}
