import { Agent, type IncomingMessage, request } from 'node:http'
import type { HttpRequest, Load, LoadJob, LoadResult } from './load.ts'
import { percentile } from '../report/statistics.ts'

/** Load from this process by node:http alone, for where autocannon is not at hand. It costs more than autocannon does. */
export const plainLoad: Load = { name: 'node:http', run, close: async () => {} }

async function run({ url, connections, requests, until }: LoadJob): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latencies: number[] = []
  const result = { answered: 0, failed: 0, bytes: 0 }
  const began = performance.now()
  const hasTime = (): boolean => !('seconds' in until) || performance.now() - began < until.seconds * 1_000
  let left = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY

  const keepSending = async (own: readonly HttpRequest[]): Promise<void> => {
    for (let index = 0; left > 0 && hasTime(); index++) {
      left--
      const sent = performance.now()
      const { status, bytes } = await send(agent, url, own[index % own.length]!)
      latencies.push(performance.now() - sent)
      result.bytes += bytes
      if (status >= 200 && status < 300) result.answered++
      else result.failed++
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => keepSending(requests[index % requests.length]!)))
  agent.destroy()
  return {
    ...result,
    seconds: (performance.now() - began) / 1_000,
    latency: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
  }
}

/** A connection that breaks answers 0. */
function send(
  agent: Agent,
  url: string,
  { method, path, headers, body }: HttpRequest,
): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve) => {
    const broken = (): void => resolve({ status: 0, bytes: 0 })
    const options = { agent, method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
    const onAnswer = (answer: IncomingMessage): void => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }))
      answer.on('error', broken)
    }
    request(new URL(path, url), options, onAnswer).on('error', broken).end(body)
  })
}
