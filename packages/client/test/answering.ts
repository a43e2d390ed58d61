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
  /** Closes the connection instead of responding. */
  hangUp?: boolean
  /** Never responds. */
  silent?: boolean
}

export const secret = generateSecret()

export interface Answering {
  muster: Muster
  received: Received[]
  url: string
}

/** A fake server that sends the given replies in order and repeats the last one, for responses that a real server rarely sends. */
export async function answering(replies: Reply[], options: Partial<MusterOptions> = {}): Promise<Answering> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks)
    received.push({ request, raw, body: JSON.parse(raw.toString()) })
    const reply = replies[Math.min(received.length, replies.length) - 1]!
    if (reply.hangUp) return request.socket.destroy()
    if (reply.silent) return
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { muster: new Muster({ url, keyId: 'MKTESTKEY', secret, ...options }), received, url }
}

/** The response of an operation that ran and failed. */
export const failed = (code: string, status = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { errors: [{ message: `told ${code}`, path: ['x', 0], extensions: { code } }], data: null },
})

export const refused = (code: string, status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { errors: [{ message: `told ${code}`, extensions: { code } }] },
})

export const fine: Reply = { body: { data: { version: '1.0.0' } } }
