import pg from 'pg'

interface CancelClient {
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

const CANCEL_TIMEOUT_MS = 5_000

/**
 * Sends a cancel request. The request may arrive during the next statement (PostgreSQL, Canceling Requests in
 * Progress), so callers must close `client` afterward. Ignores errors.
 */
export function cancelStatement(client: pg.PoolClient, options: pg.PoolConfig): void {
  const { processID, secretKey } = client as unknown as { processID: number | null; secretKey: number | null }
  if (processID === null || secretKey === null) return
  const { host, port, ssl, sslNegotiation, connection } = new pg.Client(options) as unknown as CancelClient
  const cancel = (): void => {
    connection.cancel(processID, secretKey)
    connection.end()
  }
  const timer = setTimeout(() => connection.stream.destroy(), CANCEL_TIMEOUT_MS).unref()
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
