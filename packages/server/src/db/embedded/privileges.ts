import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, useDatabaseUrl } from './embedded-error.ts'
import { type Finished, runCommand } from './run-command.ts'

export interface UserId {
  readonly uid: number
  readonly gid: number
}

/** A way to run PostgreSQL as a user other than root, because PostgreSQL refuses to run as root. */
export interface RunMode {
  readonly name: 'plain' | 'namespace' | 'set-user' | 'set-user-plain'
  /**
   * A program that runs PostgreSQL's command, such as setpriv, and the program's arguments. The program replaces itself
   * with the command and keeps the process ID. Empty if the command runs directly.
   */
  readonly prefix: readonly string[]
  readonly owner: UserId
}

export interface VerifiedRunMode extends RunMode {
  readonly majorVersion: number
}

interface RunConditions {
  readonly binaries: Binaries
  readonly folder: string
  readonly owner: UserId
  /** Whether initdb will run. Only a user with a name can run initdb. */
  readonly isNew: boolean
}

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * As root, makes a user the owner of a folder and of everything in it. The previous owner may have created symbolic links
 * there. chown(1) does not follow links with these options, but `readdir` does.
 */
export const changeOwner = (folder: string, { uid, gid }: UserId): Promise<Finished> =>
  runCommand(['chown', '--recursive', '--no-dereference', `${uid}:${gid}`, folder])

/** If the server is killed, PostgreSQL receives SIGINT and performs a fast shutdown (prctl(2), PR_SET_PDEATHSIG). */
const deathSignal = ['setpriv', '--pdeathsig', 'INT']

const root: UserId = { uid: 0, gid: 0 }

export async function findRunMode(conditions: RunConditions): Promise<VerifiedRunMode> {
  const failures: string[] = []
  for (const runMode of isRoot() ? await runModesOfRoot(conditions) : await runModesOfUser(conditions)) {
    const result = await tryRunMode(runMode, conditions)
    if (typeof result === 'number') return { ...runMode, majorVersion: result }
    failures.push(`${runMode.name}: ${result}`)
  }
  if (!isRoot()) throw cannotRun(failures)
  // Root may not start a database, but can read the version, unless PostgreSQL does not run on this system.
  const asRoot = await tryRunMode({ name: 'plain', prefix: [], owner: root }, { ...conditions, folder: '/' })
  throw typeof asRoot === 'number' ? noRunModeAsRoot(failures) : cannotRun([...failures, `plain: ${asRoot}`])
}

async function runModesOfUser({ isNew }: RunConditions): Promise<RunMode[]> {
  const self: UserId = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const plain: RunMode = { name: 'plain', prefix: [], owner: self }
  if (process.platform !== 'linux') return [plain]
  const runModes: RunMode[] = [{ ...plain, prefix: deathSignal }, plain]
  return isNew && !hasName() ? [namespace(await pickAccount(self.uid), self), ...runModes] : runModes
}

/** In a container, the user may have an ID but no name. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

async function runModesOfRoot({ owner, isNew }: RunConditions): Promise<RunMode[]> {
  if (process.platform !== 'linux') return []
  const account = await pickAccount(owner.uid)
  if (owner.uid === 0 || (isNew && account.uid !== owner.uid)) {
    return [namespace(account, root), setUser(account), setUserPlain(account)]
  }
  return [setUser(owner), setUserPlain(owner), namespace(account, root)]
}

/** In the namespace, the owner has a different ID but still owns the files. */
const namespace = (account: UserId, owner: UserId): RunMode => ({
  name: 'namespace',
  prefix: ['unshare', '--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`, ...deathSignal],
  owner,
})

/**
 * Runs PostgreSQL as another user without a namespace. One capability lets that user enter a folder that only root may
 * enter. Database roles cannot access files, so no other user benefits from the capability.
 */
const setUser = (target: UserId): RunMode => ({
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

/** The mode for root without CAP_SETPCAP. The other user must be able to enter the folder without a capability. */
const setUserPlain = (target: UserId): RunMode => ({
  name: 'set-user-plain',
  prefix: ['setpriv', ...identity(target), ...deathSignal],
  owner: target,
})

const identity = ({ uid, gid }: UserId): string[] => [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']

/** Returns the major version of PostgreSQL, or an error message if PostgreSQL cannot run in this mode. */
async function tryRunMode(runMode: RunMode, { binaries, folder }: RunConditions): Promise<number | string> {
  const probe = ['sh', '-c', 'cd "$1" && exec "$0" --version', binaries.postgres, folder]
  const { code, output, failure } = await runCommand([...runMode.prefix, ...probe], { env: binaries.env })
  if (failure !== undefined) return failure.message
  const version = /postgres \(PostgreSQL\) (\d+)/.exec(output)?.[1]
  return code === 0 && version !== undefined ? Number(version) : output || `exit code ${code}`
}

/**
 * Picks a user from /etc/passwd whose user ID and group ID are not 0. Prefers the given user, then user 1000, then user
 * 65534, then the first one in the file. If there is none, returns the user ID and group ID 1000.
 */
async function pickAccount(preferred: number): Promise<UserId> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const accounts = text
    .split('\n')
    .map((line) => line.split(':'))
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0)
  for (const uid of [preferred, 1000, 65534]) {
    const account = accounts.find((candidate) => candidate.uid === uid)
    if (account !== undefined) return account
  }
  return accounts[0] ?? { uid: 1000, gid: 1000 }
}

const noRunModeAsRoot = (failures: readonly string[]): EmbeddedError =>
  new EmbeddedError(
    'no-privilege-drop',
    'PostgreSQL does not run as root, and no method to drop root privileges works. Run Muster as an ordinary user who owns ' +
      `MUSTER_DATA, or, on Linux, allow user namespaces or install setpriv (part of util-linux). ${useDatabaseUrl}\nTried: ${failures.join('\n')}`,
  )

const cannotRun = (failures: readonly string[]): EmbeddedError =>
  new EmbeddedError(
    'unsupported-platform',
    'The PostgreSQL included with Muster does not run on this system: it needs permission to read and execute its files ' +
      `and, on Linux, glibc (as in Debian, Ubuntu, and Fedora, but not Alpine). ${useDatabaseUrl}\nTried: ${failures.join('\n')}`,
  )
