import pg from 'pg'

/** What `pg` knows of a connection beyond its types. */
interface Backend {
  processID: number | null
  secretKey: number | null
}

interface Way {
  host: string
  port: number
  ssl: unknown
  sslNegotiation: string
  connection: {
    connect(portOrPath: number | string, host?: string): void
    requestSsl(): void
    cancel(processId: number, secretKey: number): void
    end(): void
    stream: { destroy(): void; unref?(): void }
    on(event: 'connect' | 'sslconnect' | 'error' | 'end', listener: () => void): void
  }
}

const CANCEL_WITHIN_MS = 5_000

/**
 * Asks PostgreSQL to cancel what a connection runs, on a connection made for that (PostgreSQL, Frontend/Backend Protocol, Canceling
 * Requests in Progress). The request may arrive when the statement has ended and the next one runs: close the connection
 * afterwards. Never fails: what is not canceled ends by the statement timeout.
 */
export function cancelStatement(client: pg.PoolClient, options: pg.PoolConfig): void {
  const { processID, secretKey } = client as unknown as Backend
  if (processID === null || secretKey === null) return
  const { host, port, ssl, sslNegotiation, connection } = new pg.Client(options) as unknown as Way
  const cancel = (): void => {
    connection.cancel(processID, secretKey)
    connection.end()
  }
  const timer = setTimeout(() => connection.stream.destroy(), CANCEL_WITHIN_MS).unref()
  connection.on('error', () => clearTimeout(timer))
  connection.on('end', () => clearTimeout(timer))
  connection.on('connect', () => {
    if (!ssl) cancel()
    else if (sslNegotiation !== 'direct') connection.requestSsl()
  })
  connection.on('sslconnect', cancel)
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
}
