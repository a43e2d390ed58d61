import { signRequest } from '@muster/http-signature'
import { Pool } from 'undici'
import type { Environment } from './environment.ts'
import { type Operation, spread } from './mix.ts'
import { createTimes, type Times } from './times.ts'

export interface LoadCounts {
  sent: number
  responses: number
  errors: Record<string, number>
  times: Times
}

/** Sends requests at a fixed rate, regardless of responses, as independent clients do. */
export interface Load {
  setRate(rate: number): void
  readonly inFlight: number
  take(): LoadCounts
  stop(): Promise<void>
}

const TICK_MS = 5
const CONNECTIONS = 64
/** At this number of requests in flight, the server is not keeping up, and further requests count as not sent. */
const MAX_IN_FLIGHT = 2_000
const TIMEOUT_MS = 30_000

const newCounts = (): LoadCounts => ({ sent: 0, responses: 0, errors: {}, times: createTimes() })

export function startLoad(environment: Environment, initialRate: number): Load {
  const pool = new Pool(environment.url, {
    connections: CONNECTIONS,
    bodyTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
  })
  const operations = spread()
  const { devices } = environment
  const inFlight = new Set<Promise<void>>()
  let counts = newCounts()
  let rate = initialRate
  let next = 0
  let dueAt = performance.now()
  const countError = (error: string): void => {
    counts.errors[error] = (counts.errors[error] ?? 0) + 1
  }

  const send = async (operation: Operation, device: string, due: number): Promise<void> => {
    const body = JSON.stringify({ query: operation.document, variables: operation.variables(device) })
    try {
      const error = await post(pool, environment, body)
      // Measure from the time at which the request was due, because a slow server also delays queued requests.
      counts.times.add(performance.now() - due)
      counts.responses++
      if (error !== undefined) countError(`${operation.name}: ${error}`)
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException
      countError(`${operation.name}: ${code ?? name}`)
      // Include timeouts, because the percentiles would otherwise omit the slowest requests.
      if (code?.includes('TIMEOUT')) counts.times.add(performance.now() - due)
    }
  }

  const tick = (): void => {
    const now = performance.now()
    for (; dueAt <= now; dueAt += 1_000 / rate, next++) {
      if (inFlight.size >= MAX_IN_FLIGHT) {
        countError('not sent: too many in flight')
        continue
      }
      counts.sent++
      const device = devices[(next * 7_919) % devices.length]!
      const one = send(operations[next % operations.length]!, device.id, dueAt).finally(() => inFlight.delete(one))
      inFlight.add(one)
    }
  }
  const ticking = setInterval(tick, TICK_MS)

  return {
    setRate(to) {
      rate = to
    },
    get inFlight() {
      return inFlight.size
    },
    take() {
      const taken = counts
      counts = newCounts()
      return taken
    },
    async stop() {
      clearInterval(ticking)
      await Promise.all(inFlight)
      await pool.destroy()
    },
  }
}

async function post(pool: Pool, { url, keyId, key }: Environment, body: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const created = Math.floor(Date.now() / 1_000)
  const path = '/graphql/v1'
  const signature = signRequest({ keyId, key, method: 'POST', url: `${url}${path}`, headers, body, created })
  const response = await pool.request({ method: 'POST', path, headers: { ...headers, ...signature }, body })
  const text = await response.body.text()
  // Do not parse the response, because parsing would take CPU time from the server. A string in the response cannot
  // contain `"errors":[`, because its quotes are escaped.
  if (response.statusCode === 200 && !text.includes('"errors":[')) return undefined
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? ''
  return `${response.statusCode} ${code}`.trim()
}

export async function sendOnce<Data>(environment: Environment, query: string): Promise<Data> {
  const body = JSON.stringify({ query })
  const { url, keyId, key } = environment
  const headers = { 'content-type': 'application/json' }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ keyId, key, method: 'POST', url: `${url}/graphql/v1`, headers, body, created })
  const response = await fetch(`${url}/graphql/v1`, { method: 'POST', headers: { ...headers, ...signature }, body })
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] }
  if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join())
  return data
}
