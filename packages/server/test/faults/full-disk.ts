import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { executeOperation } from './checker.ts'
import { figures } from './figures.ts'
import { openRig } from './rig.ts'

async function mountDisk(megabytes: number): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'muster-disk-'))
  onTestFinished(() => rm(path, { recursive: true }))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', path])
  onTestFinished(() => void execFileSync('umount', [path]))
  return path
}

const registered = `mutation { registerDevice(name: "target") { device { id } } }`
const read = '{ login { devices(size: 1) { total items { id } } } }'
/** Returns random data, which PostgreSQL hardly compresses. */
const value = (): string => randomBytes(7_000).toString('hex')

/**
 * Checks that a server rejects changes and serves reads while the disk of PostgreSQL is full. Requires permission to
 * mount a disk.
 */
export async function fillDisk(): Promise<void> {
  const path = await mountDisk(200)
  const database = join(path, 'database')
  // Store the WAL on another disk, because PostgreSQL stops if the disk of the WAL is full.
  const wal = await mkdtemp(join(tmpdir(), 'muster-wal-'))
  onTestFinished(() => rm(wal, { recursive: true, force: true }))
  const prepare = async (): Promise<void> => {
    const walFolder = join(database, 'pg', 'pg_wal')
    await cp(walFolder, wal, { recursive: true })
    await chmod(wal, 0o700)
    await rm(walFolder, { recursive: true })
    await symlink(wal, walFolder)
  }
  const rig = await openRig({ databaseFolder: database, prepare })
  const { id } = (await executeOperation(rig, registered)).registerDevice.device
  const change = (name: string, text: string) =>
    rig.send(`mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "${text}", context: "${name}") }`)
  const filler = join(path, 'filler')
  const { bavail, bsize } = await statfs(path)
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - 3 * 1024 * 1024)))

  const acknowledged: string[] = []
  const rejected: string[] = []
  const messages = new Map<string, number>()
  for (let at = 0; rejected.length < 100; at++) {
    const device = await rig.send(`mutation { registerDevice(name: "d${at}", hardwareId: "h${at}") { device { id } } }`)
    if (device.status === 200 && device.body.errors === undefined) acknowledged.push(`h${at}`)
    else {
      rejected.push(`h${at}`)
      const error = `${device.status} ${device.body.errors?.[0]?.extensions.code} ${device.body.errors?.[0]?.message}`
      messages.set(error, (messages.get(error) ?? 0) + 1)
      expect(await rig.send(read)).toMatchObject({ status: 200 })
    }
    await change(`n${at % 60}`, value())
  }
  await rm(filler)
  const freed = performance.now()
  while ((await change('again', value())).body.data?.setAttribute === undefined) await sleep(20)
  const recoveryMs = performance.now() - freed
  const stored = new Set<string>()
  for (let after = ''; ; ) {
    const { login } = await executeOperation(
      rig,
      `{ login { devices(size: 1000 ${after}) { items { hardwareId } hasMore cursor } } }`,
    )
    for (const { hardwareId } of login.devices.items) stored.add(hardwareId)
    if (!login.devices.hasMore) break
    after = `, after: "${login.devices.cursor}"`
  }
  const events = await executeOperation(rig, '{ login { events(size: 1000, types: [DEVICE_REGISTER]) { total } } }')
  figures('disk full', {
    'changes rejected': rejected.length,
    'rejected changes stored anyway': rejected.filter((each) => stored.has(each)).length,
    'changes acknowledged': acknowledged.length,
    lost: acknowledged.filter((each) => !stored.has(each)).length,
    'reads rejected': 0,
    'time until changes work, ms': Math.round(recoveryMs),
  })
  expect(rejected.filter((each) => stored.has(each))).toEqual([])
  expect(acknowledged.filter((each) => !stored.has(each))).toEqual([])
  expect(events.login.events.total).toBe(stored.size)
  expect(Array.from(messages.keys()).every((error) => error.startsWith('503 UNAVAILABLE'))).toBe(true)
}
