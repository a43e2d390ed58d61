import { signRequest } from '@muster/http-signature'
import { Pool } from 'undici'
import type { Ground } from './ground.ts'
import { type Ask, spread } from './mix.ts'
import { createTimes, type Times } from './times.ts'

export interface LoadCounts {
  sent: number
  answered: number
  /** By what went wrong. */
  errors: Record<string, number>
  times: Times
}

/** Sends at a rate whether answers come or not, as clients do that do not know of each other. */
export interface Load {
  /** Requests a second from now on. */
  setRate(rate: number): void
  readonly underWay: number
  /** What there was since it was asked last. */
  take(): LoadCounts
  /** Sends no more, and waits for what is under way. */
  stop(): Promise<void>
}

const TICK_MS = 5
const CONNECTIONS = 64
/** More under way than that is no load that is kept up with: what is due then is counted as not sent. */
const MOST_UNDER_WAY = 2_000
const PATIENCE_MS = 30_000

const newCounts = (): LoadCounts => ({ sent: 0, answered: 0, errors: {}, times: createTimes() })

export function startLoad(ground: Ground, initialRate: number): Load {
  const pool = new Pool(ground.url, { connections: CONNECTIONS, bodyTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS })
  const asks = spread()
  const { devices } = ground
  const underWay = new Set<Promise<void>>()
  let counts = newCounts()
  let rate = initialRate
  let next = 0
  let dueAt = performance.now()
  const fail = (what: string): void => {
    counts.errors[what] = (counts.errors[what] ?? 0) + 1
  }

  const send = async (ask: Ask, device: string, due: number): Promise<void> => {
    const body = JSON.stringify({ query: ask.document, variables: ask.variables(device) })
    try {
      const wrong = await post(pool, ground, body)
      // From when it was due: a server that holds up requests holds up those that wait behind them, too.
      counts.times.add(performance.now() - due)
      counts.answered++
      if (wrong !== undefined) fail(`${ask.name}: ${wrong}`)
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException
      fail(`${ask.name}: ${code ?? name}`)
    }
  }

  const tick = (): void => {
    const now = performance.now()
    for (; dueAt <= now; dueAt += 1_000 / rate, next++) {
      if (underWay.size >= MOST_UNDER_WAY) {
        fail('not sent: too many under way')
        continue
      }
      counts.sent++
      const device = devices[(next * 7_919) % devices.length]!
      const one = send(asks[next % asks.length]!, device.id, dueAt).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }
  const ticking = setInterval(tick, TICK_MS)

  return {
    setRate(to) {
      rate = to
    },
    get underWay() {
      return underWay.size
    },
    take() {
      const taken = counts
      counts = newCounts()
      return taken
    },
    async stop() {
      clearInterval(ticking)
      await Promise.all(underWay)
      await pool.destroy()
    },
  }
}

/** What is wrong with the answer; undefined: nothing. */
async function post(pool: Pool, { url, keyId, key }: Ground, body: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const created = Math.floor(Date.now() / 1_000)
  const path = '/graphql/v1'
  const signature = signRequest({ keyId, key, method: 'POST', url: `${url}${path}`, headers, body, created })
  const answer = await pool.request({ method: 'POST', path, headers: { ...headers, ...signature }, body })
  const text = await answer.body.text()
  if (answer.statusCode === 200 && !text.startsWith('{"errors"')) return undefined
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? ''
  return `${answer.statusCode} ${code}`.trim()
}

/** Sends one operation and gives its data. */
export async function askOnce<Data>(ground: Ground, query: string): Promise<Data> {
  const body = JSON.stringify({ query })
  const { url, keyId, key } = ground
  const headers = { 'content-type': 'application/json' }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ keyId, key, method: 'POST', url: `${url}/graphql/v1`, headers, body, created })
  const response = await fetch(`${url}/graphql/v1`, { method: 'POST', headers: { ...headers, ...signature }, body })
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] }
  if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join())
  return data
}
