import { constants, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { database, role } from './cluster/cluster.ts'
import { EmbeddedError, systemCode } from './embedded-error.ts'

/** Spread it into the configuration of a `pg` Pool or Client. */
export interface EmbeddedConnection {
  /** The folder of the socket. May lead through /proc/self, then it holds for this process alone. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly ssl: false
}

/** unix(7): 108 bytes with the closing zero; 104 on macOS. */
const maxSocketPath = process.platform === 'linux' ? 107 : 103

const port = 5432

/** Where the socket of this cluster is found by this process. */
export function connectionTo(clusterFolder: string): EmbeddedConnection {
  const socket = join(clusterFolder, `.s.PGSQL.${port}`)
  const host = Buffer.byteLength(socket) <= maxSocketPath ? clusterFolder : shortName(clusterFolder)
  return { host, port, user: role, database, ssl: false }
}

/** Stay open until the process ends: a pool may reconnect at any time. One for each folder. */
const openFolders = new Map<string, number>()

/** The same folder by a name that fits: that of a file descriptor which is open on it. */
function shortName(folder: string): string {
  if (process.platform !== 'linux') {
    throw new EmbeddedError(
      'start-failed',
      `The path ${folder} is too long for a socket: choose a shorter MUSTER_DATA.`,
    )
  }
  let fd = openFolders.get(folder)
  if (fd === undefined || fstatSync(fd).ino !== statSync(folder).ino) {
    fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
    openFolders.set(folder, fd)
  }
  return `/proc/self/fd/${fd}`
}

export type Answer = 'ready' | 'starting' | 'absent'

/** Asks the database whether it serves. Rejects with what it says against the connection itself. */
export async function askDatabase(connection: EmbeddedConnection): Promise<Answer> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 })
  // A connection lost between two answers is told by the next answer.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return 'ready'
  } catch (error) {
    return answerIn(error)
  } finally {
    await client.end().catch(() => {})
  }
}

function answerIn(error: unknown): Answer {
  if (!(error instanceof pg.DatabaseError)) {
    // A connection refused, cut or not answered in time. Being shut out is another matter.
    if (systemCode(error) === 'EACCES') throw error
    return 'absent'
  }
  // "Cannot connect now": starting, recovering or shutting down. "Too many connections" comes from one that serves.
  if (error.code === '57P03') return 'starting'
  if (error.code === '53300') return 'ready'
  if (error.code?.startsWith('57P') === true) return 'absent'
  throw error
}
