import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startDatabaseProxy } from '../database/database-proxy.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** The path of PgBouncer on Debian. Its folder is not in every user's PATH. */
export const pgbouncer = '/usr/sbin/pgbouncer'

const UNPRIVILEGED_ID = 65_534

export async function startPooler(
  { connection }: TestDatabase,
  atEnd: (end: () => Promise<void>) => void,
  {
    mode = 'transaction',
    settings: extraSettings = [],
  }: { mode?: 'transaction' | 'session'; settings?: string[] } = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-pooler-'))
  atEnd(() => rm(folder, { recursive: true }))
  // Connect through a proxy, because only the user who runs the tests can connect to the database's socket.
  const proxy = await startDatabaseProxy(connection, (end) => atEnd(async () => end()))
  const { port } = new URL(proxy.url)
  const { user = '', password = '', database = '' } = new pg.Client(connection)
  const secret = password ? ` password='${password}'` : ''
  const file = join(folder, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `${database} = host=127.0.0.1 port=${port} user='${user}'${secret}`,
    '[pgbouncer]',
    `pool_mode = ${mode}`,
    'default_pool_size = 3',
    'auth_type = any',
    'listen_addr =',
    `unix_socket_dir = ${folder}`,
    'unix_socket_mode = 0777',
    'listen_port = 6432',
    ...extraSettings,
    '',
  ]
  await writeFile(file, settings.join('\n'))
  // If root runs the tests, run PgBouncer as another user, because it refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const child = spawn(pgbouncer, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID }),
  })
  await waitUntilUp(child, atEnd)
  return `postgresql:///${database}?host=${encodeURIComponent(folder)}&port=6432&user=${user}`
}

async function waitUntilUp(child: ChildProcess, atEnd: (end: () => Promise<void>) => void): Promise<void> {
  let output = ''
  const ended = once(child, 'close').then(() => {
    throw new Error(`PgBouncer exited before it was ready: ${output}`)
  })
  ended.catch(() => {})
  atEnd(async () => {
    child.kill('SIGKILL')
    await ended.catch(() => {})
  })
  while (!output.includes('process up')) {
    const [chunk] = await Promise.race([once(child.stderr!, 'data'), ended])
    output += chunk
  }
}
