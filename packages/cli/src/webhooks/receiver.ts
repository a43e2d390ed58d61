import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookDelivered, WebhookError } from '@muster/client'
import { usageError } from '../errors/cli-error.ts'
import { localTime } from '../output/local-time.ts'
import { printJson, say } from '../output/print-result.ts'
import { visible } from '../output/text-width.ts'
import { printed } from '../terminal/color.ts'
import { OutputError } from '../terminal/standard-output.ts'

/** The receiver rejects larger bodies, because every delivery is smaller. */
const MAX_BYTES = 1 << 20

interface ReceiverOptions {
  host: string
  port: number
  /** HTTP status of the response to a valid delivery. */
  answer: number
  json: boolean
  secret: () => string
}

export interface Receiver {
  url: string
  until(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export async function receiveDeliveries({ host, port, answer, json, secret }: ReceiverOptions): Promise<Receiver> {
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? await readBody(request) : undefined
    if (body === undefined) return response.writeHead(request.method === 'POST' ? 413 : 405, { allow: 'POST' }).end()
    try {
      const delivered = await verifyWebhook(request.headers, body, secret())
      await printDelivery(delivered, { json, isAgain: seen.has(delivered.id) })
      seen.add(delivered.id)
      response.writeHead(answer).end()
    } catch (error) {
      // Let the server send the delivery again later, because the user has not seen it.
      if (error instanceof OutputError) return response.writeHead(503).end()
      const reason = error instanceof WebhookError ? error.reason : (error as Error).message
      console.error(`rejected a request that is not a valid delivery of this webhook: ${reason}`)
      response.writeHead(400).end()
    }
  })
  const name = host.includes(':') ? `[${host}]` : host
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw usageError(`cannot listen on ${name}:${port}: ${(error as Error).message}`, 'Pass another --host or --port.')
  }
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}/`,
    until: async (signal) => {
      if (!signal.aborted) await once(signal, 'abort')
    },
    async close() {
      server.close().closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

async function printDelivery(
  delivered: WebhookDelivered,
  { json, isAgain }: { json: boolean; isAgain: boolean },
): Promise<void> {
  if (json) return printJson({ ...delivered, again: isAgain })
  const { id, type, timestamp, data } = delivered
  const what = [data.device?.name, data.service?.name, data.state].filter((part) => part).join(' ')
  await say(`${printed.dim(localTime(timestamp))}  ${type}  ${visible(what)}${isAgain ? '  (again)' : ''}`)
  await say(printed.dim(`  ${id}  ${visible(JSON.stringify(data))}`))
}
