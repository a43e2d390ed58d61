import { chmod, lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CliError } from '../../errors/cli-error.ts'
import { systemctl } from './systemctl.ts'
import { exampleConfig, thesePrograms, unitText } from './unit-text.ts'

export interface Place {
  /** The root folder of the installation. The commands start or stop the service only if this folder is `/`. */
  root: string
}

const UNIT = 'muster-agent.service'
const unitIn = ({ root }: Place): string => join(root, 'etc/systemd/system', UNIT)
const configIn = ({ root }: Place): string => join(root, 'etc/muster/agent.ini')

/** Throws if systemd does not run on this machine, or if other users cannot open the folders of the agent's programs. */
export async function assertCanStart(): Promise<void> {
  await systemctl('show', '--property=Version')
  const { node, muster } = thesePrograms()
  await assertReadableByAll([node, muster])
}

export async function install(place: Place): Promise<string[]> {
  const done: string[] = []
  if (!(await exists(configIn(place)))) {
    await put(configIn(place), await exampleConfig())
    done.push(`wrote ${configIn(place)}`)
  }
  await put(unitIn(place), await unitText(thesePrograms()))
  done.push(`wrote ${unitIn(place)}`)
  if (place.root !== '/') return done
  await systemctl('daemon-reload')
  await systemctl('enable', UNIT)
  await systemctl('restart', UNIT)
  return [...done, `started ${UNIT}; show its log with journalctl -u muster-agent`]
}

/** Removes the service and, with `purge`, also the agent's state and configuration. Returns the completed steps. */
export async function uninstall(place: Place, { purge }: { purge: boolean }): Promise<string[]> {
  const done: string[] = []
  const isInstalled = await exists(unitIn(place))
  if (isInstalled && place.root === '/') await systemctl('disable', '--now', UNIT)
  if (isInstalled) {
    await remove(unitIn(place))
    done.push(`removed ${unitIn(place)}`)
    if (place.root === '/') await systemctl('daemon-reload')
  }
  if (!purge) return done
  const kept = ['etc/muster/agent.ini', 'etc/muster/agent.env', 'var/lib/private/muster-agent', 'var/lib/muster-agent']
  for (const path of kept.map((each) => join(place.root, each))) {
    if (!(await exists(path))) continue
    await remove(path)
    done.push(`removed ${path}`)
  }
  return done
}

/** Does not follow links: with `DynamicUser`, systemd links the state folder to a folder that only root can open. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw notAllowed(error as NodeJS.ErrnoException)
  }
}

async function put(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    await writeFile(path, text)
    await chmod(path, 0o644)
  } catch (error) {
    throw notAllowed(error as NodeJS.ErrnoException)
  }
}

const remove = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
    throw notAllowed(error)
  })

const notAllowed = ({ code, message }: NodeJS.ErrnoException): CliError =>
  new CliError(message, code === 'EACCES' || code === 'EPERM' ? { hint: 'Try again as root (sudo).' } : {})

async function assertReadableByAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const { mode } = await stat(folder)
      if ((mode & 0o001) === 0) {
        throw new CliError(`other users cannot open ${folder}, and the agent runs as a separate user`, {
          hint: 'Install Muster and Node.js in folders that all users can open, such as /opt/muster, and run the command from there.',
        })
      }
      if (folder === dirname(folder)) break
    }
  }
}
