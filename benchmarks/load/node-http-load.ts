import { Agent, type IncomingMessage, request } from 'node:http'
import { percentile } from '../report/statistics.ts'
import type { HttpRequest, Load, LoadJob, LoadResult } from './load.ts'

/** Generates load in this process, for use if autocannon is not installed. Uses more CPU time than autocannon. */
export const nodeHttpLoad: Load = { name: 'node:http', run, close: async () => {} }

async function run({ url, connections, requests, until }: LoadJob): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latencies: number[] = []
  const result = { succeeded: 0, failed: 0, bytes: 0 }
  const began = performance.now()
  const hasTime = (): boolean => !('seconds' in until) || performance.now() - began < until.seconds * 1_000
  let remaining = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY

  const sendRepeatedly = async (queue: readonly HttpRequest[]): Promise<void> => {
    for (let index = 0; remaining > 0 && hasTime(); index++) {
      remaining--
      const sent = performance.now()
      const { status, bytes } = await send(agent, url, queue[index % queue.length]!)
      latencies.push(performance.now() - sent)
      result.bytes += bytes
      if (status >= 200 && status < 300) result.succeeded++
      else result.failed++
    }
  }
  await Promise.all(
    Array.from({ length: connections }, (_, index) => sendRepeatedly(requests[index % requests.length]!)),
  )
  agent.destroy()
  return {
    ...result,
    seconds: (performance.now() - began) / 1_000,
    latency: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
  }
}

/** Resolves with status 0 if the connection fails or breaks. */
function send(
  agent: Agent,
  url: string,
  { method, path, headers, body }: HttpRequest,
): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve) => {
    const broken = (): void => resolve({ status: 0, bytes: 0 })
    const options = { agent, method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
    const onResponse = (response: IncomingMessage): void => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
      response.on('error', broken)
    }
    request(new URL(path, url), options, onResponse).on('error', broken).end(body)
  })
}
