import { signRequest } from '@muster/http-signature'
import { Pool } from 'undici'
import type { Ground } from './ground.ts'
import { spread } from './mix.ts'

/** Sends the mix of the soak, each request on whichever connection is free. */
export interface Sender {
  /** Opens all connections. */
  connect(): Promise<void>
  /** Resolves with the status once the whole answer is there. */
  send(): Promise<number>
  close(): Promise<void>
}

const PATH = '/graphql/v1'
const HEADERS = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }

export function createSender({ url, keyId, key, devices }: Ground, connections: number): Sender {
  const pool = new Pool(url, { connections, headersTimeout: 60_000, bodyTimeout: 60_000 })
  const asks = spread()
  let next = 0
  return {
    async connect() {
      // Asked at the same time, none of them is free for another.
      const asked = Array.from({ length: connections }, () => pool.request({ method: 'GET', path: '/healthz' }))
      for (const { body } of await Promise.all(asked)) await body.dump()
    },
    async send() {
      const ask = asks[next % asks.length]!
      const device = devices[(next++ * 7_919) % devices.length]!
      const body = JSON.stringify({ query: ask.document, variables: ask.variables(device.id) })
      const created = Math.floor(Date.now() / 1_000)
      const signature = signRequest({
        keyId,
        key,
        method: 'POST',
        url: `${url}${PATH}`,
        headers: HEADERS,
        body,
        created,
      })
      const answer = await pool.request({ method: 'POST', path: PATH, headers: { ...HEADERS, ...signature }, body })
      await answer.body.dump()
      return answer.statusCode
    },
    close: () => pool.destroy(),
  }
}
