import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { access, appendFile, chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { killAll } from '../faults/signals.ts'

const run = promisify(execFile)

export const nodeNames = ['coordinator', 'worker-1', 'worker-2'] as const
export type NodeName = (typeof nodeNames)[number]

export interface Nodes {
  folder: string
  url: string
  workers: string[]
  stop(): Promise<void>
}

const settings = {
  shared_preload_libraries: 'citus',
  listen_addresses: '127.0.0.1',
  max_connections: '400',
  max_prepared_transactions: '400',
  wal_level: 'logical',
  shared_buffers: '128MB',
  max_locks_per_transaction: '512',
  // Each test file has a database, and Citus maintains each database with a separate process.
  max_worker_processes: '64',
  'citus.max_background_task_executors': '1',
  'citus.node_connection_timeout': '30000',
  // Set the mode for the whole server, because copies of a database do not have the settings of the original.
  'citus.multi_shard_modify_mode': 'sequential',
  // Recover prepared transactions soon, because after a kill, they lock rows until Citus ends them.
  'citus.recover_2pc_interval': '2s',
  autovacuum: 'off',
}

const fast = { fsync: 'off', full_page_writes: 'off' }

export interface NodesOptions {
  /** The folder with the programs of a PostgreSQL installation that has Citus. */
  bin: string
  /** Whether the nodes flush their writes to the disk. */
  isDurable: boolean
}

export async function startNodes({ bin, isDurable }: NodesOptions): Promise<Nodes> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-cluster-'))
  await chmod(folder, 0o755)
  const started: string[] = []
  const stop = async (): Promise<void> => {
    for (const data of started) await asUser([join(bin, 'pg_ctl'), '-D', data, '-m', 'immediate', '-w', 'stop'])
    await rm(folder, { recursive: true, force: true, maxRetries: 20 })
  }
  try {
    const urls: string[] = []
    for (const name of nodeNames) {
      const port = await freePort()
      const data = join(folder, name)
      await asUser(['mkdir', '-m', '700', data], folder)
      await asUser([join(bin, 'initdb'), '-D', data, '-U', 'muster', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
      const lines = { ...settings, ...(isDurable ? {} : fast), port: `${port}`, unix_socket_directories: data }
      await appendFile(
        join(data, 'postgresql.conf'),
        Object.entries(lines)
          .map(([setting, value]) => `${setting} = '${value}'\n`)
          .join(''),
      )
      await startAt(bin, data)
      started.push(data)
      urls.push(`postgresql://muster@127.0.0.1:${port}/postgres`)
    }
    return { folder, url: urls[0]!, workers: urls.slice(1), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const startAt = (bin: string, data: string): Promise<void> =>
  asUser([join(bin, 'pg_ctl'), '-D', data, '-l', join(data, 'log'), '-w', 'start'])

/** Returns the folder of the nodes and the folder of their programs. Throws if the tests do not run on a cluster. */
const running = () => {
  const { MUSTER_TEST_CLUSTER_FOLDER: folder, MUSTER_TEST_CLUSTER_BIN: bin } = process.env
  if (folder === undefined || bin === undefined)
    throw new Error('this test requires a cluster: run it with npm run test:cluster')
  return { folder, bin }
}

export const processOf = async (name: NodeName): Promise<number> =>
  Number((await readFile(join(running().folder, name, 'postmaster.pid'), 'utf8')).split('\n')[0])

export const killNode = async (name: NodeName): Promise<void> => killAll(await processOf(name))

export const startNode = (name: NodeName): Promise<void> => startAt(running().bin, join(running().folder, name))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Runs a program. As root, runs it as the user `postgres`, who then owns the folder `owned`, because PostgreSQL does
 * not run as root.
 */
async function asUser([command, ...parameters]: string[], owned?: string): Promise<void> {
  // Without this HOME, the nodes would look for certificates in the home folder of the current user.
  const env = { ...process.env, LC_ALL: 'C.UTF-8', HOME: '/' }
  if (process.getuid?.() !== 0) return void (await run(command!, parameters, { env }))
  if (owned !== undefined) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    await chown(owned, Number(stdout), 0)
  }
  const user = ['--reuid=postgres', '--regid=postgres', '--init-groups']
  await run('setpriv', [...user, command!, ...parameters], { env, cwd: '/' })
}

/**
 * Returns the folder with the programs of a PostgreSQL installation that has Citus. If there is none, first runs
 * build-citus.sh in the folder that MUSTER_CITUS_DIR specifies. Throws if this variable is not set, or if the script
 * does not install Citus.
 */
export async function findCitus(): Promise<string> {
  const found = await findInstalled()
  if (found !== undefined) return found
  const source = process.env.MUSTER_CITUS_DIR
  if (source === undefined) throw new Error(`found no PostgreSQL installation with the Citus extension. ${hint}`)
  console.log('building Citus')
  await run('bash', [join(resolve(source), 'build-citus.sh')], { maxBuffer: 64 * 1024 * 1024 })
  const built = await findInstalled()
  if (built === undefined) throw new Error(`build-citus.sh did not install the Citus extension. ${hint}`)
  return built
}

const hint = 'Install Citus, or set MUSTER_CITUS_DIR to a folder with a script build-citus.sh that installs it.'

/** The `pg_config` programs to try: the one in PATH, and then those of Debian's packages. */
const candidates = ['pg_config', ...[18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/pg_config`)]

async function findInstalled(): Promise<string | undefined> {
  for (const program of candidates) {
    const ask = async (option: string): Promise<string> => (await run(program, [option])).stdout.trim()
    try {
      await access(join(await ask('--pkglibdir'), 'citus.so'))
      return await ask('--bindir')
    } catch {
      // This PostgreSQL is not installed or does not have Citus.
    }
  }
  return undefined
}
