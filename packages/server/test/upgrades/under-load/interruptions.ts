import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Server, startServer } from './server.ts'

export interface Interruptions {
  /** The number of times that a migrating process was killed with SIGKILL. */
  servers: number
  /** The number of times that the database session of a migrating process was terminated. */
  sessions: number
  /**
   * The number of times that the PostgreSQL process of a migrating session received SIGKILL. PostgreSQL then ends all
   * sessions.
   */
  crashes: number
  outages: Outage[]
}

/** A period without a database, including the time to connect again. Both ends are in milliseconds since 1970. */
interface Outage {
  from: number
  until: number
}

interface Options {
  db: Kysely<unknown>
  /** The folder with the new release's code. */
  after: string
  env: Record<string, string>
  limit: number
}

/** The time that a server may take to connect again after an outage. */
const RECONNECT_MS = 5_000

/** Interrupts a migration until a server finishes it, at most `limit` times. */
export async function interruptMigration({ db, after, env, limit }: Options): Promise<Interruptions> {
  const done: Interruptions = { servers: 0, sessions: 0, crashes: 0, outages: [] }
  // The session of a killed server can hold the migration lock until its statement ends. Meanwhile, the next server
  // waits for the lock.
  let former: number | undefined
  for (let count = 0; count < limit; count++) {
    const server = startServer(after, env)
    let isOver = false
    const ended = server.ready.then(() => {
      isOver = true
    })
    const currentSession = async (): Promise<number | undefined> => {
      const session = await migratingSession(db)
      return session === former ? undefined : session
    }
    while (!isOver && (await currentSession()) === undefined) await sleep(5)
    // Wait 2 to 1,000 ms, evenly distributed on a logarithmic scale, because most steps are short and some are long.
    await Promise.race([ended, sleep(2 * 500 ** Math.random())])
    const session = await currentSession()
    if (session === undefined) {
      const url = await server.ready
      await server.stop('SIGKILL')
      if (url === undefined) throw new Error(`the server did not start: ${server.stderr()}`)
      return done
    }
    await interrupt(randomKind(), { db, server, session, done })
    await server.stop('SIGKILL')
    former = session
  }
  return done
}

/** Of ten interruptions, about seven kill a server, two end a session, and one crashes PostgreSQL. */
function randomKind(): 'servers' | 'sessions' | 'crashes' {
  const chance = Math.random()
  if (chance < 0.1) return 'crashes'
  return chance < 0.3 ? 'sessions' : 'servers'
}

interface Interruption {
  db: Kysely<unknown>
  server: Server
  session: number
  done: Interruptions
}

async function interrupt(
  kind: ReturnType<typeof randomKind>,
  { db, server, session, done }: Interruption,
): Promise<void> {
  done[kind]++
  if (kind === 'servers') return server.stop('SIGKILL')
  if (kind === 'sessions') await sql`select pg_terminate_backend(${session})`.execute(db)
  else done.outages.push(await crash(db, session))
  // Give the server a second to exit or to retry the migration, before the caller kills it.
  await Promise.race([server.ready, sleep(1_000)])
}

async function crash(db: Kysely<unknown>, session: number): Promise<Outage> {
  const from = Date.now()
  process.kill(session, 'SIGKILL')
  for (;;) {
    const isBack = await sql`select`.execute(db).then(
      () => Date.now() > from + 500,
      () => false,
    )
    if (isBack) return { from, until: Date.now() + RECONNECT_MS }
    await sleep(50)
  }
}

async function migratingSession(db: Kysely<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and objid::bigint = hashtext('muster migrations')::bigint & 4294967295`.execute(db)
  return rows[0]?.pid
}
