import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, useDatabaseUrl } from './embedded-error.ts'
import { runCommand } from './run-command.ts'

export interface UserId {
  readonly uid: number
  readonly gid: number
}

/** One way to run PostgreSQL, which refuses to run as root. */
export interface Way {
  readonly name: 'plain' | 'namespace' | 'set-user' | 'set-user-plain'
  /** Stands before every command of PostgreSQL and replaces itself by it: the process id stays. */
  readonly prefix: readonly string[]
  /** Who owns the files of the cluster on disk. */
  readonly owner: UserId
}

export interface FoundWay extends Way {
  readonly majorVersion: number
}

interface Places {
  readonly binaries: Binaries
  /** The cluster, or the data folder as long as there is none. */
  readonly folder: string
  /** Its owner on disk. */
  readonly owner: UserId
  /** initdb wants its user to have a name. */
  readonly isNew: boolean
}

export const isRoot = (): boolean => process.getuid?.() === 0

/** prctl(2) PR_SET_PDEATHSIG: when the server dies without a word, PostgreSQL gets SIGINT, a fast shutdown. */
const deathSignal = ['setpriv', '--pdeathsig', 'INT']

const root: UserId = { uid: 0, gid: 0 }

/** Tries the ways that may work for this user and these files, best first, and returns the first that does. */
export async function findWay(places: Places): Promise<FoundWay> {
  const refusals: string[] = []
  for (const way of isRoot() ? await waysOfRoot(places) : await waysOfUser(places)) {
    const answer = await tryWay(way, places)
    if (typeof answer === 'number') return { ...way, majorVersion: answer }
    refusals.push(`${way.name}: ${answer}`)
  }
  throw isRoot() ? noWayAsRoot(refusals) : cannotRun(refusals)
}

async function waysOfUser({ isNew }: Places): Promise<Way[]> {
  const self: UserId = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const plain: Way = { name: 'plain', prefix: [], owner: self }
  if (process.platform !== 'linux') return [plain]
  const ways: Way[] = [{ ...plain, prefix: deathSignal }, plain]
  return isNew && !hasName() ? [namespace(await pickAccount(self.uid), self), ...ways] : ways
}

/** A container started with a bare number for its user has none. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

async function waysOfRoot({ owner, isNew }: Places): Promise<Way[]> {
  if (process.platform !== 'linux') return []
  const account = await pickAccount(owner.uid)
  if (owner.uid === 0 || (isNew && account.uid !== owner.uid)) {
    return [namespace(account, root), setUser(account), setUserPlain(account)]
  }
  return [setUser(owner), setUserPlain(owner), namespace(account, root)]
}

/** A namespace in which this very user bears another number: files stay its own, other users gain nothing. */
const namespace = (account: UserId, owner: UserId): Way => ({
  name: 'namespace',
  prefix: ['unshare', '--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`, ...deathSignal],
  owner,
})

/**
 * Where namespaces are refused: another user, who keeps one capability, to get through a folder that only root may
 * enter. The database's own roles cannot reach files, so that the capability serves nobody else.
 */
const setUser = (target: UserId): Way => ({
  name: 'set-user',
  prefix: [
    'setpriv',
    ...identity(target),
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--bounding-set=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
    ...deathSignal,
  ],
  owner: target,
})

/** Without CAP_SETPCAP; works where the other user can reach the folder unaided. */
const setUserPlain = (target: UserId): Way => ({
  name: 'set-user-plain',
  prefix: ['setpriv', ...identity(target), ...deathSignal],
  owner: target,
})

const identity = ({ uid, gid }: UserId): string[] => [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']

/** The major version when PostgreSQL runs this way and can enter the folder, else what was said against it. */
async function tryWay(way: Way, { binaries, folder }: Places): Promise<number | string> {
  const probe = ['sh', '-c', 'cd "$1" && exec "$0" --version', binaries.postgres, folder]
  const { code, output, failure } = await runCommand([...way.prefix, ...probe], { env: binaries.env })
  if (failure !== undefined) return failure.message
  const version = /postgres \(PostgreSQL\) (\d+)/.exec(output)?.[1]
  return code === 0 && version !== undefined ? Number(version) : output || `exit code ${code}`
}

/** A user other than root who has a name: the wanted one, else 1000, else any. */
async function pickAccount(first: number): Promise<UserId> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const accounts = text
    .split('\n')
    .map((line) => line.split(':'))
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0)
  for (const uid of [first, 1000, 65534]) {
    const account = accounts.find((candidate) => candidate.uid === uid)
    if (account !== undefined) return account
  }
  return accounts[0] ?? { uid: 1000, gid: 1000 }
}

const noWayAsRoot = (refusals: readonly string[]): EmbeddedError =>
  new EmbeddedError(
    'no-privilege-drop',
    'PostgreSQL does not run as root, and no way to give up root works here. Run Muster as an ordinary user who owns ' +
      `MUSTER_DATA, or allow user namespaces or setpriv (util-linux). ${useDatabaseUrl}\nTried: ${refusals.join('\n')}`,
  )

const cannotRun = (refusals: readonly string[]): EmbeddedError =>
  new EmbeddedError(
    'unsupported-platform',
    'The PostgreSQL that comes with Muster does not run here: it needs glibc (Debian, Ubuntu, Fedora and their like, ' +
      `not Alpine) and the right to read and execute its files. ${useDatabaseUrl}\nTried: ${refusals.join('\n')}`,
  )
