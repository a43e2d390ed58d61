import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { onTestFinished } from 'vitest'

/** A way to a database that can be closed, for whoever takes it alone. It goes with the test, or when `atEnd` says. */
export interface DatabaseGate {
  url: string
  /** Breaks what is open, and lets nobody in. */
  close(): void
  /** Nothing passes, and nobody is told. */
  hush(): void
  /** Lets everybody through again. What was hushed is broken. */
  open(): void
  /**
   * Once: breaks the connection on which these texts are sent one after the other: before the last passes, when it has been
   * answered, or when so many bytes of the answer have passed.
   */
  cutAt(texts: readonly string[], moment: 'before' | 'after' | number): void
  /** Breaks one of the connections, if there is any. */
  cutAny(): void
}

export async function startDatabaseGate(
  connection: pg.ClientConfig,
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<DatabaseGate> {
  const { host, port, user = '', password = '', database = '' } = new pg.Client(connection)
  const pairs = new Set<[Socket, Socket]>()
  let state: 'open' | 'closed' | 'hushed' = 'open'
  let cut: { texts: readonly string[]; moment: 'before' | 'after' | number } | undefined
  const server = createServer((inner) => {
    if (state === 'closed') return void inner.destroy()
    const outer = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const pair: [Socket, Socket] = [inner, outer]
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => breakOff(pair))
    }
    let seen = 0
    /** Bytes of the answer that still pass, once it is to be cut. */
    let left: number | undefined
    inner.on('data', (chunk) => {
      if (state === 'hushed') return
      while (cut !== undefined && seen < cut.texts.length && chunk.includes(cut.texts[seen]!)) seen++
      if (cut !== undefined && seen === cut.texts.length) {
        const { moment } = cut
        cut = undefined
        if (moment === 'before') return breakOff(pair)
        left = moment === 'after' ? 0 : moment
      }
      outer.write(chunk)
    })
    outer.on('data', (chunk) => {
      if (state === 'hushed') return
      if (left === undefined || chunk.length < left) {
        inner.write(chunk)
        if (left !== undefined) left -= chunk.length
      } else if (left === 0) breakOff(pair)
      else inner.end(chunk.subarray(0, left), () => breakOff(pair))
    })
  })
  const breakOff = (pair: [Socket, Socket]): void => {
    pairs.delete(pair)
    for (const socket of pair) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
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
    cutAt(texts, moment) {
      cut = { texts, moment }
    },
    cutAny() {
      const [pair] = Array.from(pairs).toSorted(() => Math.random() - 0.5)
      if (pair !== undefined) breakOff(pair)
    },
  }
}
