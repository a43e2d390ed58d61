import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isGone, mayMount, newDataFolder, newFolder, query, start, startServer, until } from './test-bench.ts'

/**
 * An ordinary user; with the right to read, so that the tests run from a checkout that only root may enter.
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

/** unshare(2): EPERM "the caller is in a chroot environment"; the same refusal that containers give. */
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

/** A system without util-linux, where only the process ids tell who works on a folder. */
async function withoutTools(): Promise<string[]> {
  const setpriv = join(await newFolder(), 'setpriv')
  await chmod(dirname(setpriv), 0o755)
  const script = `cp "$(command -v setpriv)" "$0" && for tool in flock setpriv unshare; do
    mount --bind /dev/null "$(command -v $tool)" || exit; done; exec "$@"`
  return ['unshare', '--mount', 'sh', '-c', script, setpriv, setpriv, ...asUser(1000).slice(1)]
}

/** Whether other users may enter the checkout, and so run the database's binaries in it by no right but their own. */
async function isOpenToOthers(): Promise<boolean> {
  for (let folder = import.meta.dirname; folder !== '/'; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return true
}

const ownerOf = async (path: string): Promise<number> => (await stat(path)).uid

const cases = (): void => {
  test('where namespaces are refused another user does it, even inside a root-only folder', async () => {
    const folder = await newFolder()
    const first = await startServer(folder, await inContainer())
    expect(first.said).toMatchObject({ pid: expect.any(Number) })
    expect(await ownerOf(join(folder, 'pg/PG_VERSION'))).not.toBe(0)
    expect(await first.kill('SIGTERM')).toBe(0)

    const second = await startServer(folder, await inContainer())
    expect(second.said).toMatchObject({ pid: expect.any(Number) })
    await second.kill('SIGKILL')
    await until(() => isGone(second.said.pid))
    const third = await start(folder)
    expect(await query(third.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('a folder made in a namespace is given to that user where namespaces are refused', async () => {
    const folder = await newFolder()
    const first = await start(folder)
    await query(first.connection, 'CREATE TABLE kept ()')
    await first.stop()
    const { said, kill } = await startServer(folder, await inContainer())
    expect(said).toMatchObject({ pid: expect.any(Number) })
    expect(await kill('SIGTERM')).toBe(0)
    const third = await start(folder)
    expect(await query(third.connection, 'SELECT * FROM kept')).toEqual([])
  })

  test('a root that may not signal other users stops its database all the same', async () => {
    const { said, kill } = await startServer(await newDataFolder(), [...(await inContainer()), ...without('kill')])
    expect(said).toMatchObject({ pid: expect.any(Number) })
    expect(await kill('SIGTERM')).toBe(0)
  })

  test('a root that may not hand on capabilities works where others may enter', async () => {
    const folder = await newFolder()
    await chmod(folder, 0o711)
    const { said } = await startServer(folder, [...(await inContainer()), ...without('setpcap')])
    const refused = { code: 'no-privilege-drop', message: expect.stringContaining('DATABASE_URL') }
    expect(said).toMatchObject((await isOpenToOthers()) ? { pid: expect.any(Number) } : refused)
  })

  test.each(['chown', 'dac_override'])('a root without %s is told what it lacks', async (capability) => {
    const folder = await newFolder()
    await chmod(folder, 0o711)
    const { said } = await startServer(folder, [...(await inContainer()), ...without(capability)])
    expect(said).toMatchObject({
      code: 'no-privilege-drop',
      message: expect.stringMatching(/ordinary user.*DATABASE_URL/s),
    })
  })

  test('a root without any capability is told of DATABASE_URL', async () => {
    const { said } = await startServer(await newFolder(), [...(await inContainer()), ...without('all')])
    expect(said).toMatchObject({ code: 'no-privilege-drop', message: expect.stringContaining('DATABASE_URL') })
  })

  test('an ordinary user needs none of this, and root and that user can take turns', async () => {
    const folder = await newFolderOf(1000)
    const first = await startServer(folder, asUser(1000))
    expect(first.said).toMatchObject({ pid: expect.any(Number) })
    expect(await first.kill('SIGTERM')).toBe(0)

    await (await start(folder)).stop()
    for (const name of ['lock', 'pg.log', 'pg', 'pg/PG_VERSION']) expect(await ownerOf(join(folder, name))).toBe(1000)
    const third = await startServer(folder, asUser(1000))
    expect(third.said).toMatchObject({ pid: expect.any(Number) })
  })

  test('without flock and setpriv a second server is refused, and a database left behind is stopped', async () => {
    const folder = await newFolderOf(1000)
    const first = await startServer(folder, await withoutTools())
    expect(first.said).toMatchObject({ pid: expect.any(Number) })
    expect((await startServer(folder, await withoutTools())).said).toMatchObject({ code: 'locked' })

    await first.kill('SIGKILL')
    expect(await isGone(first.said.pid)).toBe(false)
    const second = await startServer(folder, await withoutTools())
    expect(second.said).toMatchObject({ pid: expect.any(Number) })
    expect(await isGone(first.said.pid)).toBe(true)
    expect(await second.kill('SIGTERM')).toBe(0)
  })

  test('a user without a name, as containers have, gets a database', async () => {
    const folder = await newFolderOf(54321)
    const first = await startServer(folder, asUser(54321))
    if (!(await isOpenToOthers())) {
      const message = expect.stringMatching(/\/etc\/passwd.*DATABASE_URL/s)
      return expect(first.said).toMatchObject({ code: 'init-failed', message })
    }
    expect(first.said).toMatchObject({ pid: expect.any(Number) })
    expect(await first.kill('SIGTERM')).toBe(0)
    expect((await startServer(folder, asUser(54321))).said).toMatchObject({ pid: expect.any(Number) })
  })

  test('a user without a name is told so where namespaces are refused', async () => {
    const { said } = await startServer(await newFolderOf(54321), [...(await inContainer()), ...asUser(54321)])
    expect(said).toMatchObject({ code: 'init-failed', message: expect.stringMatching(/name in .etc.passwd/) })
  })

  test('a folder that root began in is refused to a user, by its owner', async () => {
    const folder = await newDataFolder()
    await (await start(folder)).stop()
    await chmod(folder, 0o777)
    const { said } = await startServer(folder, asUser(1000))
    expect(said).toMatchObject({ code: 'wrong-owner', message: expect.stringMatching(/User 1000 .*user 0.*chown/s) })
  })

  test('a full disk is called a full disk', async () => {
    const folder = await newFolder()
    const onSmallDisk = ['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o size=20m none "$0" && exec "$@"`, folder]
    const { said } = await startServer(folder, onSmallDisk)
    expect(said).toMatchObject({ code: 'init-failed', message: expect.stringMatching(/initdb said.*Make room/s) })
  })
}

if (mayMount) describe('as root', cases)

test('only the owner may enter the folder of the database: who runs it, or another where root cannot', async () => {
  const folder = await newFolder()
  await start(folder)
  const owner = await ownerOf(join(folder, 'pg/PG_VERSION'))
  expect((await stat(join(folder, 'pg'))).mode & 0o077).toBe(0)
  if (process.getuid?.() !== 0 || mayMount) expect(owner).toBe(process.getuid?.())
  else expect(owner).not.toBe(0)
})
