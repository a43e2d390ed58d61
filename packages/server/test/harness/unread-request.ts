import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { signRequest } from '@muster/http-signature'
import { onTestFinished } from 'vitest'
import type { TestApp, TestUser } from './app.ts'

/** Sends a query on one connection without reading the responses. `times` is the number of requests. */
export async function askWithoutReading(
  { url }: TestApp,
  { user, query, times = 1 }: { user: TestUser; query: string; times?: number },
): Promise<Socket> {
  const { hostname, port, protocol } = new URL(url)
  const to = { host: hostname, port: Number(port) }
  const socket = protocol === 'https:' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect')
  for (let time = 0; time < times; time++) socket.write(signedText(url, user, query))
  return socket
}

function signedText(url: string, { keyId, secret }: TestUser, query: string): string {
  const body = JSON.stringify({ query })
  const target = `${url}/graphql/v1`
  const headers = { 'content-type': 'application/json' }
  const key = { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } as const
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ keyId, key, method: 'POST', url: target, headers, body, created })
  const fields = { host: new URL(url).host, ...headers, ...signature, 'content-length': String(body.length) }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return `POST /graphql/v1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
