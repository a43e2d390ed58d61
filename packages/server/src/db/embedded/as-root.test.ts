import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBinaries } from './binaries.ts'
import { runCommand } from './run-command.ts'
import { isGone, mayMount, newDataFolder, newFolder, query, start, startServer, until } from './test-bench.ts'

/**
 * Returns a command prefix that runs a command as an ordinary user. This user can read all files, so that the tests
 * also work in a checkout that only root can enter.
 */
const asUser = (uid: number): string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--inh-caps=-all,+dac_read_search',
  '--ambient-caps=-all,+dac_read_search',
  '--bounding-set=-all,+dac_read_search',
  '--securebits=+no_setuid_fixup',
]

/**
 * Returns a command prefix that uses a chroot to imitate a container. In both, unshare(2) cannot create a user
 * namespace.
 */
async function inContainer(): Promise<string[]> {
  const elsewhere = await newFolder()
  return ['unshare', '--mount', 'sh', '-c', 'mount --rbind / "$0" && exec chroot "$0" "$@"', elsewhere]
}

const without = (...capabilities: string[]): string[] => {
  const list = capabilities.map((name) => `-${name}`).join(',')
  return ['setpriv', `--bounding-set=${list}`, `--inh-caps=${list}`]
}

async function newFolderOf(uid: number): Promise<string> {
  const folder = await newFolder()
  await chmod(folder, 0o711)
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  await chown(data, uid, uid)
  return data
}

/**
 * Returns a command prefix that imitates a system without util-linux, where only process IDs show which server uses a
 * folder.
 */
async function withoutTools(): Promise<string[]> {
  const setpriv = join(await newFolder(), 'setpriv')
  await chmod(dirname(setpriv), 0o755)
  const script = `cp "$(command -v setpriv)" "$0" && for tool in flock setpriv unshare; do
    mount --bind /dev/null "$(command -v $tool)" || exit; done; exec "$@"`
  return ['unshare', '--mount', 'sh', '-c', script, setpriv, setpriv, ...asUser(1000).slice(1)]
}

/**
 * Returns whether other users can enter the checkout, and can therefore run its database binaries without any
 * capability.
 */
async function isOpenToOthers(): Promise<boolean> {
  for (let folder = import.meta.dirname; folder !== '/'; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return true
}

const ownerOf = async (path: string): Promise<number> => (await stat(path)).uid

const cases = (): void => {
  test('runs as another user if root cannot create namespaces, even in a folder that only root can enter', async () => {
    const folder = await newFolder()
    const first = await startServer(folder, await inContainer())
    expect(first.result).toMatchObject({ pid: expect.any(Number) })
    expect(await ownerOf(join(folder, 'pg/PG_VERSION'))).not.toBe(0)
    expect(await first.kill('SIGTERM')).toBe(0)

    const second = await startServer(folder, await inContainer())
    expect(second.result).toMatchObject({ pid: expect.any(Number) })
    await second.kill('SIGKILL')
    await until(() => isGone(second.result.pid))
    const third = await start(folder)
    expect(await query(third.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('keeps the data of a database that was created in a namespace if root can no longer create namespaces', async () => {
    const folder = await newFolder()
    const first = await start(folder)
    await query(first.connection, 'CREATE TABLE kept ()')
    await first.stop()
    const { result, kill } = await startServer(folder, await inContainer())
    expect(result).toMatchObject({ pid: expect.any(Number) })
    expect(await kill('SIGTERM')).toBe(0)
    const third = await start(folder)
    expect(await query(third.connection, 'SELECT * FROM kept')).toEqual([])
  })

  test('does not follow symbolic links in the database folder when it changes the owner of the files', async () => {
    const folder = await newDataFolder()
    await (await start(folder)).stop()
    const foreign = await newFolder()
    await writeFile(join(foreign, 'file'), '')
    await symlink(foreign, join(folder, 'pg/link'))
    const { result } = await startServer(folder, await inContainer())
    expect(result).toMatchObject({ pid: expect.any(Number) })
    expect(await ownerOf(join(folder, 'pg/global/pg_control'))).not.toBe(0)
    expect(await ownerOf(join(foreign, 'file'))).toBe(0)
  })

  test('stops the database even if root cannot signal other users', async () => {
    const { result, kill } = await startServer(await newDataFolder(), [...(await inContainer()), ...without('kill')])
    expect(result).toMatchObject({ pid: expect.any(Number) })
    expect(await kill('SIGTERM')).toBe(0)
  })

  test('warns about a data folder that other users can enter', async () => {
    const folder = await newFolder()
    await chmod(folder, 0o711)
    const { result } = await startServer(folder, await inContainer())
    expect(result).toMatchObject({ warnings: [expect.stringContaining('chmod 700')] })
  })

  test('starts without the SETPCAP capability if other users can enter the data folder and the checkout', async () => {
    const folder = await newFolder()
    await chmod(folder, 0o711)
    const { result } = await startServer(folder, [...(await inContainer()), ...without('setpcap')])
    const noPrivilegeDrop = { code: 'no-privilege-drop', message: expect.stringContaining('DATABASE_URL') }
    // The database could not start if only root could enter the data folder, so no warning suggests that.
    expect(result).toMatchObject((await isOpenToOthers()) ? { pid: expect.any(Number), warnings: [] } : noPrivilegeDrop)
  })

  test.each(['chown', 'dac_override'])('suggests running as an ordinary user if root lacks %s', async (capability) => {
    const folder = await newFolder()
    await chmod(folder, 0o711)
    const { result } = await startServer(folder, [...(await inContainer()), ...without(capability)])
    expect(result).toMatchObject({
      code: 'no-privilege-drop',
      message: expect.stringMatching(/ordinary user.*DATABASE_URL/s),
    })
  })

  test('suggests DATABASE_URL if root has no capabilities', async () => {
    const { result } = await startServer(await newFolder(), [...(await inContainer()), ...without('all')])
    expect(result).toMatchObject({ code: 'no-privilege-drop', message: expect.stringContaining('DATABASE_URL') })
  })

  test('does not blame root privileges if PostgreSQL cannot run on the system', async () => {
    const folder = await newFolder()
    const { postgres } = await findBinaries(folder)
    const withoutPostgres = ['unshare', '--mount', 'sh', '-c', 'mount --bind /dev/null "$0" && exec "$@"', postgres]
    expect((await startServer(folder, withoutPostgres)).result).toMatchObject({
      code: 'unsupported-platform',
      message: expect.stringMatching(/glibc.*DATABASE_URL.*\nplain: /s),
    })
  })

  test('runs as an ordinary user, then as root, then as that user again', async () => {
    const folder = await newFolderOf(1000)
    const first = await startServer(folder, asUser(1000))
    expect(first.result).toMatchObject({ pid: expect.any(Number) })
    expect(await first.kill('SIGTERM')).toBe(0)

    await (await start(folder)).stop()
    for (const name of ['lock', 'pg.log', 'pg', 'pg/PG_VERSION']) expect(await ownerOf(join(folder, name))).toBe(1000)
    const third = await startServer(folder, asUser(1000))
    expect(third.result).toMatchObject({ pid: expect.any(Number) })
  })

  test('rejects a second server and stops an orphaned database, even without flock and setpriv', async () => {
    const folder = await newFolderOf(1000)
    const first = await startServer(folder, await withoutTools())
    expect(first.result).toMatchObject({ pid: expect.any(Number) })
    expect((await startServer(folder, await withoutTools())).result).toMatchObject({ code: 'locked' })

    await first.kill('SIGKILL')
    expect(await isGone(first.result.pid)).toBe(false)
    const second = await startServer(folder, await withoutTools())
    expect(second.result).toMatchObject({ pid: expect.any(Number) })
    expect(await isGone(first.result.pid)).toBe(true)
    expect(await second.kill('SIGTERM')).toBe(0)
  })

  test('locks the folder for only one of several servers that start at the same time, even without flock', async () => {
    const dataFolder = await newFolderOf(1000)
    const folders = JSON.stringify({ dataFolder, clusterFolder: join(dataFolder, 'pg') })
    const script = `const { lockDataFolder } = await import('${new URL('lock.ts', import.meta.url)}')
      const lock = () => lockDataFolder({ ...${folders}, log: { info() {}, warn() {} } })
      const results = await Promise.allSettled([lock(), lock(), lock()])
      console.log(results.map(({ status, reason }) => reason?.code ?? status).sort().join())`
    const node = [process.execPath, '--input-type=module', '--eval', script]
    expect((await runCommand([...(await withoutTools()), ...node])).output).toBe('fulfilled,locked,locked')
  })

  test('creates a database for a user without a name who can create namespaces and enter the checkout', async () => {
    const folder = await newFolderOf(54321)
    const first = await startServer(folder, asUser(54321))
    if (!(await isOpenToOthers())) {
      const message = expect.stringMatching(/\/etc\/passwd.*DATABASE_URL/s)
      return expect(first.result).toMatchObject({ code: 'init-failed', message })
    }
    expect(first.result).toMatchObject({ pid: expect.any(Number) })
    expect(await first.kill('SIGTERM')).toBe(0)
    expect((await startServer(folder, asUser(54321))).result).toMatchObject({ pid: expect.any(Number) })
  })

  test('reports that the user has no name if the user cannot create namespaces', async () => {
    const { result } = await startServer(await newFolderOf(54321), [...(await inContainer()), ...asUser(54321)])
    expect(result).toMatchObject({ code: 'init-failed', message: expect.stringMatching(/name in .etc.passwd/) })
  })

  test("rejects another user in root's folder, and names the owner of the folder", async () => {
    const folder = await newDataFolder()
    await (await start(folder)).stop()
    await chmod(folder, 0o777)
    const { result } = await startServer(folder, asUser(1000))
    expect(result).toMatchObject({ code: 'wrong-owner', message: expect.stringMatching(/User 1000 .*user 0.*chown/s) })
  })

  test('reports a full disk', async () => {
    const folder = await newFolder()
    const onSmallDisk = ['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o size=20m none "$0" && exec "$@"`, folder]
    const { result } = await startServer(folder, onSmallDisk)
    expect(result).toMatchObject({
      code: 'init-failed',
      message: expect.stringMatching(/initdb reported.*Free disk space/s),
    })
  })
}

if (mayMount) describe('as root', cases)

test("lets only the database's owner enter the database folder", async () => {
  const folder = await newFolder()
  await start(folder)
  const owner = await ownerOf(join(folder, 'pg/PG_VERSION'))
  expect((await stat(join(folder, 'pg'))).mode & 0o077).toBe(0)
  if (process.getuid?.() !== 0 || mayMount) expect(owner).toBe(process.getuid?.())
  else expect(owner).not.toBe(0)
})
