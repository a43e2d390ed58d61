import { constants, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { database, role } from './cluster/cluster-folder.ts'
import { EmbeddedError, systemCode } from './embedded-error.ts'

export interface EmbeddedConnection {
  /** The folder that contains the socket. Only this process can use a path through /proc/self. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly ssl: false
}

/** The maximum length of a socket's path, in bytes, without the terminating null byte (unix(7)). */
const maxSocketPath = process.platform === 'linux' ? 107 : 103

const port = 5432
const socketName = `.s.PGSQL.${port}`

export function connectionTo(clusterFolder: string): EmbeddedConnection {
  const socket = join(clusterFolder, socketName)
  const host = Buffer.byteLength(socket) <= maxSocketPath ? clusterFolder : shortName(clusterFolder)
  return { host, port, user: role, database, ssl: false }
}

/** File descriptors of folders. They stay open until the process ends, because a pool may reconnect at any time. */
const openFolders = new Map<string, number>()

/** Returns a short path to the folder, through an open file descriptor. Throws on systems other than Linux. */
function shortName(folder: string): string {
  if (process.platform !== 'linux') {
    throw new EmbeddedError(
      'start-failed',
      `The path ${join(folder, socketName)} is too long for a socket, whose path can have at most ${maxSocketPath} bytes: set MUSTER_DATA to a shorter path.`,
    )
  }
  let fd = openFolders.get(folder)
  if (fd === undefined || fstatSync(fd).ino !== statSync(folder).ino) {
    fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
    openFolders.set(folder, fd)
  }
  return `/proc/self/fd/${fd}`
}

export type DatabaseState = 'ready' | 'starting' | 'absent'

/**
 * Connects to the database to find its state. Throws errors that do not show the state, such as a missing permission
 * (EACCES) or a failed authentication.
 */
export async function readDatabaseState(connection: EmbeddedConnection): Promise<DatabaseState> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 })
  // If the connection is lost before the query, the query reports the error. Without a listener, the `error` event
  // would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return 'ready'
  } catch (error) {
    return stateIn(error)
  } finally {
    await client.end().catch(() => {})
  }
}

function stateIn(error: unknown): DatabaseState {
  if (!(error instanceof pg.DatabaseError)) {
    // A refused or broken connection, or a timeout, means that no database accepts connections here. If permission is
    // missing, a database may still be running.
    if (systemCode(error) === 'EACCES') throw error
    return 'absent'
  }
  // 57P03 ("cannot connect now") means that the database is starting, recovering, or shutting down. With 53300 ("too
  // many connections"), the database is ready.
  if (error.code === '57P03') return 'starting'
  if (error.code === '53300') return 'ready'
  if (error.code?.startsWith('57P') === true) return 'absent'
  throw error
}
