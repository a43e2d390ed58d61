import pg from 'pg'

/** A connection that is in use for longer makes the database prove that it lives. */
const PATIENCE_MS = 3_000
const ANSWERS_WITHIN_MS = 5_000

/**
 * Ends the connections of a pool that wait for a database which has fallen silent: frozen, or out of reach without a word. Its
 * own timeout of a statement cannot end those, and their requests would wait for ever. A slow statement of a database that
 * answers others goes on.
 */
export function endSilentConnections(pool: pg.Pool, connection: pg.ClientConfig): void {
  const takenAt = new Map<pg.PoolClient, number>()
  pool.on('acquire', (client) => takenAt.set(client, performance.now()))
  pool.on('release', (_error, client) => takenAt.delete(client))
  pool.on('remove', (client) => takenAt.delete(client))

  let isAsking = false
  const timer = setInterval(async () => {
    if (pool.ending) return clearInterval(timer)
    const waiting = [...takenAt].filter(([, since]) => performance.now() - since > PATIENCE_MS)
    if (waiting.length === 0 || isAsking) return
    isAsking = true
    // Twice: to a process that could not run for some seconds, as on a loaded machine, an answer that is there seems late.
    if (!(await answers(connection)) && !(await answers(connection)))
      for (const [client, since] of waiting) if (takenAt.get(client) === since) end(client)
    isAsking = false
  }, 1_000).unref()
}

/** Cuts off what the client waits for: its query fails, and the pool replaces it. */
const end = (client: pg.PoolClient): void => void (client as unknown as pg.Client).end().catch(() => {})

/** Whether a new connection gets an answer; a refusal is one. */
async function answers(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({
    ...connection,
    application_name: 'muster watch',
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  } finally {
    void client.end().catch(() => {})
  }
}
