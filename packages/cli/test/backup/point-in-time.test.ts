import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDataFolder } from '../../../server/test/database/data-folder.ts'
import {
  failToStart,
  readCredentials,
  type ServerProcess,
  sendAs,
  startServerProcess,
} from '../../../server/test/harness/server-process.ts'
import { muster, startMuster, temporaryFolder } from '../harness/muster.ts'
import { ownerEvents } from '../operator/owner-events.ts'

interface Listed {
  timeline: number
  backups: { name: string }[]
  recoverable: { from: string; until: string }[]
}

async function newInstallation(name = "arch ive's 100%p") {
  const { path } = await temporaryFolder()
  const data = join(path, 'data')
  await createDataFolder(data)
  const env = { MUSTER_DATA: data, MUSTER_ARCHIVE_DIR: join(path, name) }
  const run = async (args: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await muster([...args, '--json'], { env: { ...env, ...more } })
    if (code !== 0) throw new Error(`muster ${args.join(' ')} exited with code ${code}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }
  return {
    path,
    data,
    env,
    archive: env.MUSTER_ARCHIVE_DIR,
    serve: () => startServerProcess(env, onTestFinished),
    run,
    baseBackup: (): Promise<{ name: string; folder: string }> => run(['backup', '--base']),
    list: (): Promise<Listed> => run(['backup', '--list']),
    fails: (args: string[]) => muster(args, { env }),
  }
}

async function ask(data: string, { url }: ServerProcess, document: string) {
  const { body } = await sendAs(await readCredentials(data), url, document)
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
  return body.data
}

const register = (data: string, server: ServerProcess, name: string): Promise<unknown> =>
  ask(data, server, `mutation { registerDevice(name: "${name}") { device { id } } }`)

async function namesIn(data: string, server: ServerProcess): Promise<string[]> {
  const { login } = await ask(data, server, '{ login { devices(size: 1000, sort: "name") { items { name } } } }')
  return login.devices.items.map(({ name }: { name: string }) => name)
}

/** Registers numbered devices one at a time until `stop` is called. Pauses leave CPU time for other commands. */
function keepRegistering(data: string, server: ServerProcess) {
  const written: { sent: number; acknowledged: number }[] = []
  let isStopped = false
  const done = (async () => {
    while (!isStopped) {
      const sent = Date.now()
      await register(data, server, String(written.length).padStart(6, '0'))
      written.push({ sent, acknowledged: Date.now() })
      await sleep(50)
    }
  })()
  const reach = async (count: number): Promise<void> => {
    while (written.length < count) await Promise.race([sleep(5), done])
  }
  const stop = (): Promise<void> => {
    isStopped = true
    return done
  }
  return { written, reach, stop }
}

/** These tests start servers and databases, which takes minutes on a slow machine. */
const longTimeout = { timeout: 600_000 }

describe('point-in-time recovery', longTimeout, () => {
  it('restores all writes before the target time and no later writes', async () => {
    const { data, serve, baseBackup, run, list, fails } = await newInstallation()
    const server = await serve()
    const writes = keepRegistering(data, server)
    await writes.reach(5)
    const { name } = await baseBackup()
    await writes.reach(writes.written.length + 20)
    const moment = Date.now()
    await writes.reach(writes.written.length + 20)
    await writes.stop()
    await server.stop()

    const to = new Date(moment).toISOString()
    expect(await fails(['restore', '--to', to])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('--replace'),
    })
    const { aside } = await run(['restore', '--to', to, '--replace'])
    expect(existsSync(join(aside, 'PG_VERSION'))).toBe(true)
    const second = await serve()
    const restored = await namesIn(data, second)
    expect(await ownerEvents(data, second)).toMatchObject([
      { type: 'BACKUP_CREATE', data: { kind: 'base', name, scheduled: false } },
      { type: 'BACKUP_RESTORE', data: { kind: 'base', name, to } },
    ])
    const before = writes.written.filter(({ acknowledged }) => acknowledged < moment).length
    const notAfter = writes.written.filter(({ sent }) => sent <= moment).length
    expect(restored.length).toBeGreaterThanOrEqual(before)
    expect(restored.length).toBeLessThanOrEqual(notAfter)
    expect(restored).toEqual(restored.map((_, index) => String(index).padStart(6, '0')))

    // The restored database archives a new timeline, which ends later than the previous timeline.
    await baseBackup()
    await register(data, second, 'later')
    await second.stop()
    expect((await list()).timeline).toBe(2)
    await run(['restore', '--to', 'latest', '--replace'])
    expect(await namesIn(data, await serve())).toEqual([...restored, 'later'])
  })

  it('restores an earlier timeline with --timeline', async () => {
    const { path, data, serve, baseBackup, run, list } = await newInstallation()
    const server = await serve()
    await register(data, server, 'first')
    await baseBackup()
    const moment = new Date().toISOString()
    await register(data, server, 'undone')
    await server.stop()
    await run(['restore', '--to', moment, '--replace'])
    const second = await serve()
    await register(data, second, 'second')
    await second.stop()

    const { recoverable } = await list()
    const until = recoverable.at(-1)!.until
    const drill = join(path, 'drill')
    const restoreInto = async (folder: string, args: string[]) => {
      await run(['restore', '--without-key', ...args], { MUSTER_DATA: folder })
      return run(['backup', `${folder}.backup`], { MUSTER_DATA: folder, MUSTER_ARCHIVE_DIR: '' })
    }
    // `until` is after the last transaction and before the end of the archive.
    expect((await restoreInto(drill, ['--to', until])).rows.device).toBe(2)
    expect((await restoreInto(`${drill}2`, ['--to', 'latest', '--timeline', '1'])).rows.device).toBe(2)
    expect((await restoreInto(`${drill}3`, ['--to', moment, '--timeline', '1'])).rows.device).toBe(1)
  })

  it('lists the restorable times, rejects other times, and detects damaged files', async () => {
    const { data, archive, serve, baseBackup, list, fails } = await newInstallation()
    const server = await serve()
    const { folder } = await baseBackup()
    await register(data, server, 'kept')
    await server.stop()
    const { from, until } = (await list()).recoverable[0]!
    for (const to of ['2001-01-01T00:00:00Z', '2999-01-01T00:00:00+01:00']) {
      const refused = await fails(['restore', '--to', to, '--replace'])
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`it covers ${from} to ${until}.`) })
    }
    for (const to of ['2026-01-01T00:00:00', '2026-02-31T10:00Z'])
      expect(await fails(['restore', '--to', to, '--replace'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('with a time zone'),
      })

    await writeFile(join(folder, 'data/PG_VERSION.zst'), zstdCompressSync('17\n'))
    const damaged = await fails(['restore', '--to', 'latest', '--replace'])
    expect(damaged).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/PG_VERSION\.zst is missing, .* or does not match its checksum/),
    })
    expect(await namesIn(data, await serve())).toEqual(['kept'])

    const wal = (await readdir(join(archive, 'wal'))).filter((name) => /^[0-9A-F]{24}\.zst$/.test(name))
    for (const name of wal) await rm(join(archive, 'wal', name))
    expect((await list()).recoverable).toEqual([])
  })

  it('keeps the configured number of base backups and the WAL since the oldest backup', async () => {
    const { archive, serve, run, fails } = await newInstallation()
    await serve()
    const names: string[] = []
    for (let count = 0; count < 3; count++) {
      names.push((await run(['backup', '--base'], { MUSTER_BACKUP_KEEP: '2' })).name)
      await sleep(1_000)
    }
    expect(await readdir(join(archive, 'base'))).toEqual(names.slice(1))
    const { recoverable, backups }: Listed = await run(['backup', '--list'])
    expect(backups.map(({ name }) => name)).toEqual(names.slice(1))
    expect(recoverable).toHaveLength(1)
    await writeFile(join(archive, 'base', names[1]!, 'manifest.json'), '{}')
    expect(await fails(['backup', '--base'])).toMatchObject({ code: 3, stderr: expect.stringContaining('is complete') })
  })
})

describe('listing base backups', () => {
  it.each([
    [{ format: 2 }, 'was written by a newer release of Muster, 9.9.9: use that release'],
    [{ format: 0 }, 'was written by an older release of Muster, 9.9.9: use that release'],
    [{}, 'is not the manifest of a base backup'],
  ])('rejects a manifest with %j: it %s', async (format, message) => {
    const { archive, fails } = await newInstallation()
    const folder = join(archive, 'base', 'other')
    await mkdir(folder, { recursive: true })
    const manifest = { muster: 'base backup', release: '9.9.9', ...format }
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
    const { code, stderr } = await fails(['backup', '--list'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
    expect(stderr).not.toContain('    at ')
  })
})

describe('taking a base backup', longTimeout, () => {
  it('leaves no usable backup when killed, and does not prevent the next backup', async () => {
    const { data, env, archive, serve, baseBackup, run, list } = await newInstallation()
    const server = await serve()
    const first = await baseBackup()
    const writes = keepRegistering(data, server)
    // At 2 MiB per second, no backup is complete when the test kills the command.
    const slow = { ...env, MUSTER_BACKUP_RATE: '2' }
    for (let kill = 0; kill < 6; kill++) {
      const { child, done } = startMuster(['backup', '--base'], { env: slow })
      await sleep(400 + Math.random() * 3_000)
      child.kill('SIGKILL')
      // The command may also fail before it is killed, because the lock of the previous backup may still be held.
      expect((await done).code).not.toBe(0)
      expect((await list()).backups.map(({ name }) => name)).toEqual([first.name])
    }
    const last = await baseBackup()
    await writes.stop()
    await server.stop()
    expect((await list()).backups.at(-1)).toMatchObject({ name: last.name })
    expect((await readdir(join(archive, 'base'))).length).toBe((await list()).backups.length)
    await run(['restore', '--to', 'latest', '--replace'])
    const { login } = await ask(data, await serve(), '{ login { devices { total } } }')
    expect(login.devices.total).toBe(writes.written.length)
  })

  it('removes the copied files when interrupted', async () => {
    const { env, archive, serve } = await newInstallation()
    await serve()
    const { child, done } = startMuster(['backup', '--base'], { env: { ...env, MUSTER_BACKUP_RATE: '2' } })
    const copied = () => readdir(join(archive, 'base'), { recursive: true })
    await expect.poll(() => copied().catch(() => [])).toContainEqual(expect.stringMatching(/\.zst$/))
    child.kill('SIGINT')
    expect(await done).toMatchObject({ code: 130, stderr: expect.stringContaining('no data was changed') })
    expect(await copied()).toEqual([])
  })

  it('fails without affecting other backups when the server is killed', async () => {
    const { data, env, archive, serve, baseBackup, run, list } = await newInstallation()
    const server = await serve()
    const first = await baseBackup()
    const { done } = startMuster(['backup', '--base'], { env: { ...env, MUSTER_BACKUP_RATE: '2' } })
    // Wait until the copy has begun. Otherwise, the command could start the database itself after the server is killed,
    // and succeed.
    await expect.poll(() => readdir(join(archive, 'base'))).toHaveLength(2)
    await register(data, server, 'acknowledged')
    await server.stop('SIGKILL')
    expect((await done).code).not.toBe(0)
    expect((await list()).backups.map(({ name }) => name)).toEqual([first.name])
    await (await serve()).stop()
    await run(['restore', '--to', 'latest', '--replace'])
    expect(await namesIn(data, await serve())).toEqual(['acknowledged'])
  })
})

describe('a server with an archive', () => {
  it('rejects an archive that belongs to another database', async () => {
    const { archive, env, serve } = await newInstallation()
    await (await serve()).stop()
    await writeFile(join(archive, 'system-identifier'), '1234567890\n')
    const { code, stderr } = await failToStart(env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('archive of another database') })
  })

  it('keeps serving if it cannot write to the archive', async () => {
    const { path, data, serve, fails } = await newInstallation('file/archive')
    await writeFile(join(path, 'file'), '')
    const server = await serve()
    await register(data, server, 'served')
    expect(server.stderr()).toContain('cannot use MUSTER_ARCHIVE_DIR')
    expect((await fails(['backup', '--base'])).code).not.toBe(0)
    expect(await namesIn(data, server)).toEqual(['served'])
  })

  it('reports a damaged file in the archive', async () => {
    const { data, archive, serve } = await newInstallation()
    await (await serve()).stop()
    await writeFile(join(data, 'pg/pg_wal/00000002.history'), '')
    await writeFile(join(archive, 'wal/00000002.history.zst'), 'damaged')
    const server = await serve()
    expect(server.stderr()).toMatch(/00000002\.history\.zst cannot be read.*cannot use MUSTER_ARCHIVE_DIR/)
    expect(server.stderr()).not.toContain('writable')
  })
})
