import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { openBrowser, signIn } from '../../../test/clients/browser.ts'
import { codeOf } from '../../../test/clients/totp.ts'
import { administer, atDatabase, dropDatabase } from '../../../test/global-setup.ts'
import { readCredentials, startServerProcess } from '../../../test/harness/server-process.ts'
import { createDatabase, type Database } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import { createPool } from '../../db/pool/create-pool.ts'
import { hashPassword } from './passwords/password.ts'

const migrations = new URL('../../../migrations/', import.meta.url)

let connection: pg.ClientConfig
let db: Database
beforeEach(async () => {
  const { connection: server } = inject('testDatabase')
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  await administer(server, `create database "${name}"`)
  connection = atDatabase(server, name)
  db = createDatabase(createPool({ connection, size: 2, statementTimeout: 0 }))
  onTestFinished(async () => {
    await db.destroy()
    await dropDatabase(server, name)
  })
})

async function migrateTo(last: string): Promise<void> {
  const files = (await readdir(migrations)).filter((file) => /^\d{4}_.*\.ts$/.test(file)).sort()
  const names = files.map((file) => file.slice(0, -3)).filter((name) => name <= last)
  const found: Record<string, Migration> = {}
  for (const name of names) found[name] = (await import(new URL(`${name}.ts`, migrations).href)) as Migration
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => found },
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

async function addAccount(email: string, password: string): Promise<void> {
  const values = { id: randomUUID(), email, name: null, password_hash: await hashPassword(password) }
  await db.insertInto('account').values(values).execute()
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-upgrade-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function urlOf({ host, port, user, password, database, connectionString }: pg.ClientConfig): Promise<string> {
  if (connectionString !== undefined) return connectionString
  const url = new URL('postgresql://localhost')
  url.username = encodeURIComponent(user ?? '')
  url.password = encodeURIComponent(String(password ?? ''))
  url.pathname = `/${database}`
  if (host?.startsWith('/')) url.searchParams.set('host', host)
  else url.hostname = host ?? 'localhost'
  url.port = String(port ?? '')
  return url.href
}

describe('a database of an earlier release', () => {
  it('keeps its passwords, and accepts users that the earlier release still adds', async () => {
    await migrateTo('0009_feed')
    await addAccount('before@example.com', 'a password from before')
    expect(await migrate(db)).toContain('0010_sessions')
    await addAccount('meanwhile@localhost', 'a password from meanwhile')

    const folder = await newFolder()
    const server = await startServerProcess({ DATABASE_URL: await urlOf(connection), MUSTER_DATA: folder })
    for (const [email, password] of [
      ['before@example.com', 'a password from before'],
      ['meanwhile@localhost', 'a password from meanwhile'],
    ] as const) {
      const browser = await signIn(server, { id: '', email, password })
      const { body } = await browser.query('{ login { email } }')
      expect(body).toEqual({ data: { login: { email } } })
    }
  })
})

describe('the owner after the first start', () => {
  it('signs in with the credentials in the file, and the log contains no secrets', async () => {
    const folder = await newFolder()
    const server = await startServerProcess({
      DATABASE_URL: await urlOf(connection),
      MUSTER_DATA: folder,
      MUSTER_LOG_LEVEL: 'trace',
    })
    expect(server.stdout()).toContain(`Console      ${server.url}/\n`)
    expect(server.stdout()).toContain(`${server.url}/graphql/v1/doc`)
    const { MUSTER_EMAIL: email = '', MUSTER_PASSWORD: password = '' } = await readCredentials(folder)
    const wrong = `wrong ${randomBytes(8).toString('hex')}`
    expect((await openBrowser(server).auth('/sign-in/email', { email, password: wrong })).status).toBe(401)
    const browser = await signIn(server, { id: '', email, password })
    const { body } = await browser.auth('/two-factor/enable', { password })
    const code = codeOf(body.totpURI)
    expect((await browser.auth('/two-factor/verify-totp', { code })).status).toBe(200)
    const { rows } = await sql<{ token: string }>`select token from session`.execute(db)
    // Cause an internal error during a sign-in, so that the log also contains an error.
    await sql`alter table sign_in_step rename to gone`.execute(db)
    const fault = await openBrowser(server).auth('/sign-in/email', { email, password })
    expect([fault.status, fault.body.errors[0].extensions.code]).toEqual([500, 'INTERNAL'])
    await server.stop()

    const output = server.stderr() + server.stdout()
    expect(output).toContain('rejected a sign-in')
    expect(output).toContain(fault.body.errors[0].extensions.requestId)
    const secret = new URL(body.totpURI).searchParams.get('secret') ?? ''
    for (const each of [password, wrong, secret, ...body.backupCodes, ...rows.map(({ token }) => token)]) {
      expect(each.length).toBeGreaterThan(5)
      expect(output).not.toContain(each)
    }
    // Allow longer numbers and IDs, which may contain the six digits by chance.
    expect(output).not.toMatch(new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`))
    for (const value of browser.cookies.values()) expect(output).not.toContain(value)
  })
})
