import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { onTestFinished } from 'vitest'

/** Forwards connections to a database. By default, the proxy stops when the test ends. */
export interface DatabaseProxy {
  url: string
  /** Breaks open connections and rejects new connections. */
  close(): void
  /** Stops forwarding but keeps the connections open. */
  freeze(): void
  /** Accepts and forwards connections again after `close` or `freeze`. Breaks the frozen connections. */
  open(): void
  /**
   * Breaks the first connection that sends these statements in this order. Depending on `moment`, the break occurs
   * before the proxy forwards the last statement, when its response arrives, or after `moment` bytes of the response.
   */
  cutAt(statements: readonly string[], moment: 'before' | 'after' | number): void
  /** Breaks a random open connection, if any. */
  cutAny(): void
}

export async function startDatabaseProxy(
  connection: pg.ClientConfig,
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<DatabaseProxy> {
  const { host, port, user = '', password = '', database = '' } = new pg.Client(connection)
  const pairs = new Set<[Socket, Socket]>()
  let state: 'open' | 'closed' | 'frozen' = 'open'
  let cut: { statements: readonly string[]; moment: 'before' | 'after' | number } | undefined
  const server = createServer((client) => {
    if (state === 'closed') return void client.destroy()
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => breakPair(pair))
    }
    let seen = 0
    /** The number of response bytes to forward before the cut. Undefined if no cut is due. */
    let remaining: number | undefined
    client.on('data', (chunk) => {
      if (state === 'frozen') return
      while (cut !== undefined && seen < cut.statements.length && chunk.includes(cut.statements[seen]!)) seen++
      if (cut !== undefined && seen === cut.statements.length) {
        const { moment } = cut
        cut = undefined
        if (moment === 'before') return breakPair(pair)
        remaining = moment === 'after' ? 0 : moment
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (state === 'frozen') return
      if (remaining === undefined || chunk.length < remaining) {
        client.write(chunk)
        if (remaining !== undefined) remaining -= chunk.length
      } else if (remaining === 0) breakPair(pair)
      else client.end(chunk.subarray(0, remaining), () => breakPair(pair))
    })
  })
  const breakPair = (pair: [Socket, Socket]): void => {
    pairs.delete(pair)
    for (const socket of pair) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.close()
    for (const pair of pairs) breakPair(pair)
  })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = [user, password].filter(Boolean).map(encodeURIComponent).join(':')
  return {
    url: `postgresql://${credentials}@${address}/${database}`,
    close() {
      state = 'closed'
      for (const pair of pairs) breakPair(pair)
    },
    freeze() {
      state = 'frozen'
    },
    open() {
      if (state === 'frozen') for (const pair of pairs) breakPair(pair)
      state = 'open'
    },
    cutAt(statements, moment) {
      cut = { statements, moment }
    },
    cutAny() {
      const [pair] = Array.from(pairs).toSorted(() => Math.random() - 0.5)
      if (pair !== undefined) breakPair(pair)
    },
  }
}
