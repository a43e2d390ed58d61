import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createDataFolder } from '../../../server/test/database/data-folder.ts'
import { readCredentials, sendAs, startServerProcess } from '../../../server/test/harness/server-process.ts'
import { muster, temporaryFolder } from '../harness/muster.ts'
import { ownerEvents } from '../operator/owner-events.ts'

interface Finding {
  check: string
  result: string
  message: string
  hint?: string
}

async function newFolder() {
  const { path } = await temporaryFolder()
  const data = join(path, 'data')
  await createDataFolder(data)
  return { path, data }
}

const serve = (env: Record<string, string>) => startServerProcess(env, onTestFinished)

async function doctor(data: string, url: string): Promise<Map<string, Finding>> {
  const env = { MUSTER_DATA: data, ...(await readCredentials(data)), MUSTER_URL: url }
  const { stdout } = await muster(['doctor', '--json'], { env })
  const { checks } = JSON.parse(stdout) as { checks: Finding[] }
  return new Map(checks.map((finding) => [finding.check, finding]))
}

async function metric(url: string, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(200)
}

it('writes scheduled backups, keeps only the newest ones, and restores from one of them', async () => {
  const { path, data } = await newFolder()
  const folder = join(path, 'nightly')
  const env = { MUSTER_DATA: data, MUSTER_BACKUP_EVERY: '2s', MUSTER_BACKUP_KEEP: '2', MUSTER_BACKUP_DIR: folder }
  const server = await serve(env)
  await writeFile(join(path, 'own.backup'), 'kept')
  const seen = new Set<string>()
  await until(async () => {
    for (const name of await readdir(folder).catch(() => [])) if (name.endsWith('.backup')) seen.add(name)
    return seen.size >= 4
  })
  await until(async () => (await metric(server.url, 'muster_backup_age_seconds')) !== undefined)
  expect(await metric(server.url, 'muster_backup_failing')).toBe(0)
  const [event] = await ownerEvents(data, server)
  expect(event).toEqual({
    type: 'BACKUP_CREATE',
    data: {
      kind: 'file',
      name: [...seen].sort()[0],
      created: expect.any(String),
      bytes: expect.any(Number),
      scheduled: true,
    },
  })
  await server.stop()
  const kept = (await readdir(folder)).filter((name) => name.endsWith('.backup')).sort()
  // Include backups that the server wrote after the last check and before it stopped.
  for (const name of kept) seen.add(name)
  expect(kept).toEqual([...seen].sort().slice(-2))
  const restored = await muster(['restore', join(folder, kept[1]!), '--without-key'], {
    env: { MUSTER_DATA: join(path, 'restored') },
  })
  expect({ code: restored.code, stderr: restored.stderr }).toEqual({ code: 0, stderr: '' })
})

it('takes each scheduled base backup only once if several server processes share an archive', async () => {
  const { path, data } = await newFolder()
  const archive = join(path, 'archive')
  const env = { MUSTER_DATA: data, MUSTER_ARCHIVE_DIR: archive, MUSTER_BACKUP_EVERY: '1h', MUSTER_WORKERS: '2' }
  const server = await serve(env)
  await until(async () => (await metric(server.url, 'muster_backup_age_seconds')) !== undefined)
  const names = await readdir(join(archive, 'base'))
  expect(names).toHaveLength(1)
  await until(async () => (await ownerEvents(data, server)).length > 0)
  expect(await ownerEvents(data, server)).toMatchObject([
    { type: 'BACKUP_CREATE', data: { kind: 'base', name: names[0], scheduled: true } },
  ])
  expect(await metric(server.url, 'muster_archive_failing')).toBe(0)
  const findings = await doctor(data, server.url)
  expect(findings.get('archive')).toMatchObject({ result: 'ok' })
  expect(findings.get('backup')).toMatchObject({ result: 'ok' })
})

it('gives the base backups that root takes to the owner of the archive', async () => {
  const { path, data } = await newFolder()
  const archive = join(path, 'archive')
  const env = { MUSTER_DATA: data, MUSTER_ARCHIVE_DIR: archive }
  await serve(env)
  const self = process.getuid?.() ?? 0
  const owner = self === 0 ? 1000 : self
  await chown(archive, owner, process.getgid?.() ?? 0)
  // The database may run as a third user, which must still be able to enter the archive.
  await chmod(archive, 0o755)
  const base = join(archive, 'base')
  const foreign = join(path, 'foreign')
  for (const folder of [foreign, base]) await mkdir(folder)
  await writeFile(join(foreign, 'file'), '')
  await symlink(foreign, join(base, 'link'))
  expect((await muster(['backup', '--base'], { env })).code).toBe(0)
  expect((await stat(join(foreign, 'file'))).uid).toBe(self)
  await rm(join(base, 'link'))
  for (const entry of ['', ...(await readdir(base, { recursive: true }))])
    expect((await stat(join(base, entry))).uid, entry).toBe(owner)
})

it('reports a failed backup and an outdated backup', async () => {
  const { path, data } = await newFolder()
  const folder = join(path, 'file/backups')
  await writeFile(join(path, 'file'), '')
  const env = { MUSTER_DATA: data, MUSTER_BACKUP_EVERY: '1h', MUSTER_BACKUP_DIR: folder }
  const server = await serve(env)
  await until(async () => (await metric(server.url, 'muster_backup_failing')) === 1)
  expect(server.stderr()).toContain('the scheduled backup failed')
  expect((await doctor(data, server.url)).get('backup')).toMatchObject({
    result: 'failed',
    message: expect.stringContaining('ENOTDIR'),
  })
  const { body } = await sendAs(await readCredentials(data), server.url, '{ login { email } }')
  expect(body.errors).toBeUndefined()

  // Simulate the state after backups have failed for three hours.
  await server.stop()
  const status = JSON.parse(await readFile(join(data, 'backup-status.json'), 'utf8'))
  const newest = new Date(Date.now() - 3 * 3_600_000).toISOString()
  const plain = await serve({ MUSTER_DATA: data })
  await writeFile(join(data, 'backup-status.json'), JSON.stringify({ ...status, newest }))
  expect((await doctor(data, plain.url)).get('backup')).toMatchObject({
    result: 'failed',
    message: expect.stringContaining('every 1 h'),
  })
})

it('reports an archive that it cannot write to', async () => {
  const { path, data } = await newFolder()
  const archive = join(path, 'archive')
  const server = await serve({ MUSTER_DATA: data, MUSTER_ARCHIVE_DIR: archive })
  // Replace the folder with a file, because root can write to any folder.
  const wal = join(archive, 'wal')
  await rm(wal, { recursive: true })
  await writeFile(wal, '')
  const failing = await muster(['backup', '--base'], { env: { MUSTER_DATA: data, MUSTER_ARCHIVE_DIR: archive } })
  expect(failing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be archived') })
  await until(async () => (await metric(server.url, 'muster_archive_failing')) === 1)
  expect(await metric(server.url, 'muster_archive_pending_bytes')).toBeGreaterThan(0)
  const findings = await doctor(data, server.url)
  expect(findings.get('archive')).toMatchObject({ result: 'failed', message: expect.stringContaining('MiB') })
  expect(findings.get('backup')).toMatchObject({ result: 'warning', hint: expect.stringContaining('backup --base') })
  expect(server.stderr()).toContain('the write-ahead log cannot be archived')
})

it('warns about a data folder that other users can read', async () => {
  const { data } = await newFolder()
  await chmod(data, 0o755)
  const server = await serve({ MUSTER_DATA: data })
  expect(server.stderr()).toContain(`chmod 700 ${data}`)
  expect((await doctor(data, server.url)).get('data folder')).toMatchObject({
    result: 'warning',
    hint: `Run: chmod 700 ${data}`,
  })
  await chmod(data, 0o700)
  expect((await doctor(data, server.url)).get('data folder')).toMatchObject({ result: 'ok' })
})
