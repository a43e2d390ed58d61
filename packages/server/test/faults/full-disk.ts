import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { ask } from './checker.ts'
import { figures } from './figures.ts'
import { openRig } from './rig.ts'

async function mountDisk(megabytes: number): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'muster-disk-'))
  onTestFinished(() => rm(place, { recursive: true }))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', place])
  onTestFinished(() => void execFileSync('umount', [place]))
  return place
}

const registered = `mutation { registerDevice(name: "target") { device { id } } }`
const read = '{ login { devices(size: 1) { total items { id } } } }'
/** Incompressible. */
const value = (): string => randomBytes(7_000).toString('hex')

/**
 * A disk of the database's own that fills up, for which it takes the right to mount one. While it is full changes are refused and
 * reads go on; with room again all goes on.
 */
export async function fillDisk(): Promise<void> {
  const place = await mountDisk(200)
  const database = join(place, 'database')
  // The log has another disk: without room for it PostgreSQL ends.
  const log = await mkdtemp(join(tmpdir(), 'muster-log-'))
  onTestFinished(() => rm(log, { recursive: true, force: true }))
  const prepare = async (): Promise<void> => {
    const own = join(database, 'pg', 'pg_wal')
    await cp(own, log, { recursive: true })
    await chmod(log, 0o700)
    await rm(own, { recursive: true })
    await symlink(log, own)
  }
  const rig = await openRig({ place: database, prepare })
  const { id } = (await ask(rig, registered)).registerDevice.device
  const change = (name: string, given: string) =>
    rig.send(`mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "${given}", context: "${name}") }`)
  const filler = join(place, 'filler')
  const { bavail, bsize } = await statfs(place)
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - 3 * 1024 * 1024)))

  const acknowledged: string[] = []
  const refused: string[] = []
  const messages = new Map<string, number>()
  for (let at = 0; refused.length < 100; at++) {
    const device = await rig.send(`mutation { registerDevice(name: "d${at}", hardwareId: "h${at}") { device { id } } }`)
    if (device.status === 200 && device.body.errors === undefined) acknowledged.push(`h${at}`)
    else {
      refused.push(`h${at}`)
      const told = `${device.status} ${device.body.errors?.[0]?.extensions.code} ${device.body.errors?.[0]?.message}`
      messages.set(told, (messages.get(told) ?? 0) + 1)
      expect(await rig.send(read)).toMatchObject({ status: 200 })
    }
    await change(`n${at % 60}`, value())
  }
  await rm(filler)
  const freed = performance.now()
  while ((await change('again', value())).body.data?.setAttribute === undefined) await sleep(20)
  const backAfter = performance.now() - freed
  const there = new Set<string>()
  for (let after = ''; ; ) {
    const { login } = await ask(
      rig,
      `{ login { devices(size: 1000 ${after}) { items { hardwareId } hasMore cursor } } }`,
    )
    for (const { hardwareId } of login.devices.items) there.add(hardwareId)
    if (!login.devices.hasMore) break
    after = `, after: "${login.devices.cursor}"`
  }
  const events = await ask(rig, '{ login { events(size: 1000, types: [DEVICE_REGISTER]) { total } } }')
  figures('disk full', {
    'changes refused': refused.length,
    'of them made nevertheless': refused.filter((each) => there.has(each)).length,
    'changes acknowledged': acknowledged.length,
    lost: acknowledged.filter((each) => !there.has(each)).length,
    'reads refused': 0,
    'changes go on after, ms': Math.round(backAfter),
  })
  expect(refused.filter((each) => there.has(each))).toEqual([])
  expect(acknowledged.filter((each) => !there.has(each))).toEqual([])
  expect(events.login.events.total).toBe(there.size)
  expect(Array.from(messages.keys()).every((told) => told.startsWith('503 UNAVAILABLE'))).toBe(true)
}
