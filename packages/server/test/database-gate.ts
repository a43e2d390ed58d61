import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { onTestFinished } from 'vitest'

/** A way to a database that can be closed, for whoever takes it alone. It goes with the test. */
export interface DatabaseGate {
  url: string
  /** Breaks what is open, and lets nobody in. */
  close(): void
  /** Nothing passes, and nobody is told. */
  hush(): void
  /** Lets everybody through again. What was hushed is broken. */
  open(): void
}

export async function startDatabaseGate(connection: pg.ClientConfig): Promise<DatabaseGate> {
  const { host, port, user = '', password = '', database = '' } = new pg.Client(connection)
  const pairs = new Set<[Socket, Socket]>()
  let state: 'open' | 'closed' | 'hushed' = 'open'
  const server = createServer((inner) => {
    if (state === 'closed') return void inner.destroy()
    const outer = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const pair: [Socket, Socket] = [inner, outer]
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => breakOff(pair))
    }
    inner.on('data', (chunk) => void (state === 'hushed' || outer.write(chunk)))
    outer.on('data', (chunk) => void (state === 'hushed' || inner.write(chunk)))
  })
  const breakOff = (pair: [Socket, Socket]): void => {
    pairs.delete(pair)
    for (const socket of pair) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const pair of pairs) breakOff(pair)
  })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = [user, password].filter(Boolean).map(encodeURIComponent).join(':')
  return {
    url: `postgresql://${credentials}@${address}/${database}`,
    close() {
      state = 'closed'
      for (const pair of pairs) breakOff(pair)
    },
    hush() {
      state = 'hushed'
    },
    open() {
      if (state === 'hushed') for (const pair of pairs) breakOff(pair)
      state = 'open'
    },
  }
}
