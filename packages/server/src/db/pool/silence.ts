import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const LOOK_EVERY_MS = 50
/** A request that waits for longer makes the database prove that it lives. */
const PATIENCE_MS = 150
/**
 * A question that got no answer for so long is asked again on another connection, since the first one may lead nowhere; each time
 * it has longer, for a machine that is so busy.
 */
const ASK_AGAIN_MS = { first: 3_000, most: 8_000 }
/** Of a connection that lies idle, so that nothing on the way forgets it. */
const KEEP_ALIVE_MS = 10_000

export interface SilenceOptions {
  connection: pg.ClientConfig
  /** Milliseconds for which nothing may be heard. */
  mostMs: number
  /** Told when the database falls silent, and when it is heard again. */
  onChange?: ((isSilent: boolean) => void) | undefined
}

/** The way to a pool's connections that ends while the database is silent. */
export interface Silence {
  connect(): Promise<pg.PoolClient>
  close(): void
}

interface Waiting {
  since: number
  refuse: (error: Error) => void
}

/**
 * Has nobody wait for a database that has fallen silent: frozen, or out of reach without a word. Its own timeout of a statement
 * cannot end those. What waits is cut off, what comes is refused at once, until the database answers again. A slow statement of
 * a database that answers others goes on. While nothing waits, nothing is asked.
 */
export function endSilence(pool: pg.Pool, { connection, mostMs, onChange }: SilenceOptions): Silence {
  const takenAt = new Map<pg.PoolClient, number>()
  const waiting = new Set<Waiting>()
  const question = createQuestion(connection)
  let isSilent = false
  let timer: NodeJS.Timeout | undefined
  /** Looks since it was asked. Not by the clock: of a process that could not run, the answers that are there seem late. */
  let looks = 0
  let answeredAt = Number.NEGATIVE_INFINITY

  const cutOff = (): void => {
    for (const { refuse } of waiting) refuse(silent())
    waiting.clear()
    for (const client of takenAt.keys()) destroy(client)
  }

  const change = (to: boolean): void => {
    if (to === isSilent) return
    isSilent = to
    if (isSilent) cutOff()
    onChange?.(isSilent)
  }

  const ask = async (): Promise<void> => {
    looks = 0
    // What cannot be asked, as for want of a file of certificates, tells nothing.
    const answers = await question.ask().catch(() => true)
    if (answers) answeredAt = performance.now()
    change(!answers)
  }

  const isAnyoneWaiting = (): boolean => {
    const longest = performance.now() - PATIENCE_MS
    for (const [client, since] of takenAt) if (since < longest && isAsking(client)) return true
    for (const { since } of waiting) if (since < longest) return true
    return false
  }

  const look = (): void => {
    if (pool.ending || !(isSilent || takenAt.size > 0 || waiting.size > 0)) stop()
    else if (question.isAsked()) {
      looks++
      if (looks * LOOK_EVERY_MS >= mostMs) change(true)
    } else if (isSilent || (isAnyoneWaiting() && performance.now() - answeredAt > PATIENCE_MS)) void ask()
  }

  const start = (): void => {
    timer ??= setInterval(look, LOOK_EVERY_MS).unref()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  pool.on('connect', question.prepare)
  pool.on('acquire', (client) => {
    takenAt.set(client, performance.now())
    start()
  })
  pool.on('release', (_error, client) => takenAt.delete(client))
  pool.on('remove', (client) => takenAt.delete(client))

  return {
    connect() {
      if (isSilent) return Promise.reject(silent())
      // A free connection is there at once: nothing waits.
      if (pool.idleCount > 0 && pool.waitingCount === 0) return pool.connect()
      return new Promise((resolve, reject) => {
        const wait: Waiting = { since: performance.now(), refuse: reject }
        waiting.add(wait)
        start()
        pool.connect().then(
          (client) => (waiting.delete(wait) ? resolve(client) : client.release()),
          (error: Error) => {
            waiting.delete(wait)
            reject(error)
          },
        )
      })
    },
    close: question.close,
  }
}

/** As PostgreSQL says that a connection is not to be had (Appendix A, class 08). */
const silent = (): Error => Object.assign(new Error('the database does not answer'), { code: '08001' })

/** Whoever keeps a connection to hear of something, and asks nothing on it, waits for nothing. */
const isAsking = (client: pg.PoolClient): boolean =>
  (client as unknown as { _activeQuery: unknown })._activeQuery !== null

/** Cuts off what waits: it fails, and the pool replaces the connection. */
const destroy = (client: pg.PoolClient): void =>
  void (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

interface Question {
  /** Has a connection open before it is needed. */
  prepare(): void
  /** Whether the database answers; never, while it says nothing. Asked again and again meanwhile. */
  ask(): Promise<boolean>
  isAsked(): boolean
  close(): void
}

/** Asked on a connection that is open by then: making one takes a busy machine longer than it may keep silent. A refusal is an answer. */
function createQuestion(connection: pg.ClientConfig): Question {
  let kept: pg.Client | undefined
  let isAsked = false
  let isClosed = false

  const end = (client: pg.Client): void => {
    if (kept === client) kept = undefined
    client.end().catch(() => {})
  }

  const open = (): pg.Client => {
    const client = clientFor(connection)
    client.once('end', () => end(client))
    kept = client
    return client
  }

  const askOnce = async (withinMs: number): Promise<boolean | 'nothing'> => {
    const isNew = kept === undefined
    const client = kept ?? open()
    const answered = (isNew ? client.connect() : Promise.resolve()).then(() => client.query('select 1'))
    const answer = await Promise.race([
      answered.then(
        () => true,
        (error: unknown) => error instanceof pg.DatabaseError,
      ),
      sleep(withinMs, 'nothing' as const, { ref: false }),
    ])
    if (answer === true && !isClosed) return true
    end(client)
    // A connection that broke while nobody used it tells nothing.
    return answer === false && !isNew ? 'nothing' : answer
  }

  return {
    prepare() {
      if (kept === undefined && !isClosed) askOnce(ASK_AGAIN_MS.most).catch(() => {})
    },
    isAsked: () => isAsked,
    async ask() {
      isAsked = true
      let answer: boolean | 'nothing' = 'nothing'
      let withinMs = ASK_AGAIN_MS.first
      try {
        while (answer === 'nothing' && !isClosed) {
          answer = await askOnce(withinMs)
          withinMs = Math.min(2 * withinMs, ASK_AGAIN_MS.most)
        }
      } finally {
        isAsked = false
      }
      return answer !== false
    },
    close() {
      isClosed = true
      if (kept !== undefined) end(kept)
    },
  }
}

function clientFor(connection: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    ...connection,
    application_name: 'muster watch',
    connectionTimeoutMillis: ASK_AGAIN_MS.most,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  client.on('error', () => {})
  return client
}
