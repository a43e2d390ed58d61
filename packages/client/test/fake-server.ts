import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateSecret } from '@muster/http-signature'
import { onTestFinished } from 'vitest'
import { Muster, type MusterOptions } from '../src/index.ts'

export interface Received {
  request: IncomingMessage
  body: { query: string; variables?: Record<string, unknown> }
  raw: Buffer
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  disconnect?: boolean
  noResponse?: boolean
}

export const secret = generateSecret()

export interface FakeServer {
  muster: Muster
  received: Received[]
  url: string
}

/** Starts a fake server that sends the replies in order and then repeats the last reply. */
export async function startFakeServer(replies: Reply[], options: Partial<MusterOptions> = {}): Promise<FakeServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks)
    received.push({ request, raw, body: JSON.parse(raw.toString()) })
    const reply = replies[Math.min(received.length, replies.length) - 1]!
    if (reply.disconnect) return request.socket.destroy()
    if (reply.noResponse) return
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { muster: new Muster({ url, keyId: 'MKTESTKEY', secret, ...options }), received, url }
}

export const failed = (code: string, status = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { errors: [{ message: `error ${code}`, path: ['x', 0], extensions: { code } }], data: null },
})

export const rejected = (code: string, status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { errors: [{ message: `error ${code}`, extensions: { code } }] },
})

export const success: Reply = { body: { data: { version: '1.0.0' } } }
