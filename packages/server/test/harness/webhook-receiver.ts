import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface Received {
  id: string
  timestamp: string
  signature: string
  headers: IncomingMessage['headers']
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its messages
  body: any
}

export interface Receiver {
  url: string
  received: Received[]
  /** Waits for at least `count` matching messages and returns them. */
  waitFor(count: number, matches?: (message: Received) => boolean): Promise<Received[]>
  /** Sets how the receiver responds to messages. By default, it responds with status 200 and no body. */
  respondWith(handle: (message: Received, response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const watchers = new Set<() => void>()
  let handle = (_message: Received, response: ServerResponse): void => void response.end()
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request)
    // Ignore the request if the sender was killed or the receiver was closed.
    if (text === undefined) return
    const message = {
      id: String(request.headers['webhook-id']),
      timestamp: String(request.headers['webhook-timestamp']),
      signature: String(request.headers['webhook-signature']),
      headers: request.headers,
      text,
      body: JSON.parse(text),
    }
    received.push(message)
    handle(message, response)
    for (const watch of watchers) watch()
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async waitFor(count, matches = () => true) {
      const enough = Promise.withResolvers<Received[]>()
      const watch = (): void => {
        const found = received.filter(matches)
        if (found.length >= count) enough.resolve(found)
      }
      watchers.add(watch)
      watch()
      return enough.promise.finally(() => watchers.delete(watch))
    },
    respondWith(next) {
      handle = next
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
}

/** Verifies a message's signature with the library of Standard Webhooks. Throws if the signature is invalid. */
export const verifyMessage = (secret: string, { id, timestamp, signature, text }: Received): unknown =>
  new Webhook(secret).verify(text, {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  })

export function isGenuine(secret: string, message: Received): boolean {
  try {
    verifyMessage(secret, message)
    return true
  } catch {
    return false
  }
}
