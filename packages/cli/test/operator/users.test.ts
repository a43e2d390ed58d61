import { chown, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openBrowser, signIn } from '../../../server/test/clients/browser.ts'
import { startMailServer } from '../../../server/test/harness/mail-server.ts'
import { claimPorts } from '../../../server/test/harness/ports.ts'
import { startServerProcess } from '../../../server/test/harness/server-process.ts'
import { muster, startMuster } from '../harness/muster.ts'
import { createInstallations } from './installations.ts'
import { ownerEvents } from './owner-events.ts'

const installations = createInstallations()
afterAll(installations.drop)
const newInstallation = installations.create

describe('commands for users and accounts', () => {
  it('rejects duplicate users, and does not overwrite credentials', async () => {
    const { env, folder } = await newInstallation()
    await mkdir(folder, { mode: 0o700 })
    // If the command runs as root, the files that it creates in the data folder belong to the folder's owner.
    const self = process.getuid?.() ?? 0
    const owner = self === 0 ? 1000 : self
    for (const each of [dirname(folder), folder]) await chown(each, owner, process.getgid?.() ?? 0)
    const file = join(dirname(folder), 'bob')
    await muster(['users', 'add', 'bob@example.com', '--credentials', file], { env })
    const again = await muster(['users', 'add', 'BOB@example.com', '--credentials', `${file}2`, '--json'], { env })
    expect(again.code).toBe(7)
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: 'CONFLICT' } })
    const overwriting = await muster(['users', 'add', 'eve@example.com', '--credentials', file], { env })
    expect(overwriting).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') })
    expect((await muster(['users', 'add', 'eve@example.com'], { env })).code).toBe(0)
    expect((await stat(join(folder, 'credentials-eve@example.com'))).uid).toBe(owner)
    expect((await stat(file)).uid).toBe(self)
  })

  it('lists, disables, enables, and removes users', async () => {
    const { env, folder } = await newInstallation()
    await muster(['users', 'add', 'ada@example.com', '--name', 'Ada'], { env })
    const statesOf = async () => {
      const { stdout } = await muster(['users', 'list', '--csv', '--columns', 'email,name,state,accessKeys'], { env })
      return stdout.split('\n').slice(1, -1)
    }
    expect(await statesOf()).toEqual(['ada@example.com,Ada,enabled,1', 'owner@localhost,,enabled,1'])
    expect(await muster(['users', 'disable', 'ADA@example.com'], { env })).toMatchObject({ code: 0 })
    expect((await statesOf())[0]).toBe('ada@example.com,Ada,disabled,1')
    await muster(['users', 'enable', 'ada@example.com'], { env })
    expect((await statesOf())[0]).toBe('ada@example.com,Ada,enabled,1')

    const file = join(folder, 'password')
    const reset = await muster(['users', 'reset-password', 'ada@example.com', '--revoke-keys', '--file', file], { env })
    expect(reset.stdout).toContain('Access keys deleted: 1.')
    expect((await statesOf())[0]).toBe('ada@example.com,Ada,enabled,0')

    const alone = await muster(['users', 'remove', 'ada@example.com', '--yes'], { env })
    expect(alone).toMatchObject({ code: 7, stderr: expect.stringContaining('--with-accounts') })
    const asked = await muster(['users', 'remove', 'ada@example.com', '--with-accounts'], { env })
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('Pass --yes to confirm') })
    const removed = await muster(['users', 'remove', 'ada@example.com', '--with-accounts', '--yes', '--json'], { env })
    expect(JSON.parse(removed.stdout)).toMatchObject({
      email: 'ada@example.com',
      accounts: [expect.any(String)],
      devices: 0,
    })
    expect(await statesOf()).toEqual(['owner@localhost,,enabled,1'])
    expect(await muster(['users', 'disable', 'ada@example.com'], { env })).toMatchObject({ code: 4 })
    expect(await muster(['users', 'remove', 'owner@localhost', '--with-accounts', '--yes'], { env })).toMatchObject({
      code: 7,
    })
  })

  it("deletes a user's personal keys in other accounts when the password is reset with --revoke-keys", async () => {
    const { env, folder } = await newInstallation()
    const added = await muster(['accounts', 'add', 'Fleet', '--owner', 'owner@localhost', '--json'], { env })
    await muster(['users', 'add', 'lin@example.com', '--account', JSON.parse(added.stdout).id, '--role', 'viewer'], {
      env,
    })
    const credentials = await readFile(join(folder, 'credentials-lin@example.com'), 'utf8')
    const password = /^MUSTER_PASSWORD=(.+)$/m.exec(credentials)![1]!
    const server = await startServerProcess(env)
    const browser = await signIn(server, { id: '', email: 'lin@example.com', password })
    const created = await browser.query('mutation { createAccessKey(personal: true) { key } }')
    expect(created.body).toMatchObject({ data: { createAccessKey: { key: expect.any(String) } } })
    const reset = ['users', 'reset-password', 'lin@example.com', '--revoke-keys']
    expect((await muster([...reset, '--file', join(folder, 'a')], { env })).stdout).toContain('Access keys deleted: 1.')
    expect((await muster([...reset, '--file', join(folder, 'b')], { env })).stdout).toContain('Access keys deleted: 0.')
  })

  it('emails a link to set a new password if the mail server accepts the email, and prints a link with --link', async () => {
    const { env, folder } = await newInstallation()
    await muster(['users', 'add', 'ada@example.com'], { env })
    const reset = (more: Record<string, string>, ...args: string[]) =>
      muster(['users', 'reset-password', 'ada@example.com', '--email', ...args], { env: { ...env, ...more } })
    expect(await reset({})).toMatchObject({ code: 2, stderr: expect.stringContaining('MUSTER_SMTP_URL') })
    const only = { MUSTER_SIGN_IN: 'sso', MUSTER_OIDC_ISSUER: 'https://login.example.com', MUSTER_OIDC_CLIENT_ID: 'x' }
    expect(await reset(only)).toMatchObject({ code: 2, stderr: expect.stringContaining('muster users link') })
    const mail = await startMailServer()
    const smtp = { MUSTER_SMTP_URL: mail.url, MUSTER_SMTP_FROM: 'muster@example.com' }
    try {
      mail.isRejecting = true
      expect(await reset(smtp)).toMatchObject({ code: 1, stderr: expect.stringContaining('was not changed') })
      mail.isRejecting = false
      expect(await reset(smtp, '--file', 'x')).toMatchObject({ code: 2 })
      const { code, stdout } = await reset(smtp)
      expect([code, stdout]).toEqual([
        0,
        'A link to set a new password was sent to ada@example.com. Sessions ended: 0.\n',
      ])
      expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com']])
    } finally {
      await mail.close()
    }
    expect(await stat(join(folder, 'password-ada@example.com')).catch(() => undefined)).toBeUndefined()
    const tokenIn = (text: string) => /\/new-password#([\w-]{43})\s/.exec(text)![1]
    const sent = tokenIn(mail.received[0]!.source.replaceAll('=\r\n', '').replaceAll('=3D', '='))
    const link = await muster(['users', 'reset-password', 'ada@example.com', '--link'], { env })
    expect([link.code, link.stderr]).toEqual([0, expect.stringContaining('within 24 hours')])
    const server = await startServerProcess(env)
    const browser = openBrowser(server)
    const password = 'correct horse battery staple'
    // Only the link from the last reset works.
    expect((await browser.auth('/new-password', { token: sent, password })).status).toBe(401)
    expect((await browser.auth('/new-password', { token: tokenIn(link.stdout), password })).status).toBe(200)
    const { body } = await browser.auth('/sign-in/email', { email: 'ada@example.com', password })
    expect(body).toMatchObject({ signedIn: true })
  })

  it('adds accounts, adds users to them, and creates links to sign in', async () => {
    const { env, folder } = await newInstallation()
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await muster([...args, '--json'], { env })
      expect([code, stderr]).toEqual([0, expect.any(String)])
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    const [account] = await json('accounts', 'add', 'Fleet', '--owner', 'owner@localhost')
    expect(await muster(['accounts', 'add', 'x', '--owner', 'unknown@example.com'], { env })).toMatchObject({ code: 4 })
    const place = ['--account', account.id, '--role', 'viewer']
    const [member] = await json('users', 'add', 'lin@example.com', ...place)
    expect(await readFile(member.credentials, 'utf8')).toMatch(/^MUSTER_EMAIL=lin@example.com\nMUSTER_PASSWORD=\S+\n$/)
    expect(dirname(member.credentials)).toBe(folder)
    expect(await muster(['users', 'add', 'lin@example.com', ...place], { env })).toMatchObject({ code: 7 })
    expect(await muster(['users', 'add', 'lin@example.com', '--account', account.id], { env })).toMatchObject({
      code: 2,
    })
    const [{ link }] = await json('users', 'link', 'LIN@example.com')
    expect(link).toMatch(/\/sign-in-link#[\w-]{43}$/)

    const users = await json('users', 'list')
    expect(users.find(({ email }) => email === 'lin@example.com')).toMatchObject({
      accounts: [{ id: account.id, role: 'viewer' }],
      signIn: ['password'],
      lastSignIn: null,
    })
    expect(users.find(({ email }) => email === 'owner@localhost').accounts).toHaveLength(2)
    const accounts = await json('accounts', 'list')
    expect(accounts.find(({ id }) => id === account.id)).toMatchObject({
      name: 'Fleet',
      owners: ['owner@localhost'],
      members: 2,
    })
  })

  it('records events for operator commands', async () => {
    const { env, folder, database } = await newInstallation()
    await muster(['users', 'add', 'ada@example.com'], { env })
    const { stdout } = await muster(['users', 'list', '--csv', '--columns', 'id'], { env })
    const id = stdout.split('\n')[1]!
    await muster(['users', 'reset-password', 'ada@example.com', '--revoke-keys', '--file', join(folder, 'p')], { env })
    const events = database.db.selectFrom('event').select(['type', 'source', 'actor_id']).where('account_id', '=', id)
    const byServer = { source: { kind: 'server' }, actor_id: null }
    expect(await events.orderBy('id').execute()).toEqual(
      ['ACCESS_KEY_CREATE', 'USER_ADD', 'ACCESS_KEY_DELETE', 'PASSWORD_CHANGE'].map((type) => ({ type, ...byServer })),
    )
    const rotated = await muster(['keys', 'rotate-master', '--json'], { env })
    const { count } = JSON.parse(rotated.stdout)
    await muster(['users', 'remove', 'ada@example.com', '--with-accounts', '--yes'], { env })
    expect(await ownerEvents(folder, await startServerProcess(env))).toEqual([
      { type: 'MASTER_KEY_ROTATE', data: { count, damaged: 0 } },
      { type: 'USER_REMOVE', data: {} },
    ])
  })

  it("writes the public URL to new users' credentials if it is set", async () => {
    const { env, folder } = await newInstallation()
    const addedUrl = async (email: string, more: Record<string, string> = {}) => {
      await muster(['users', 'add', email], { env: { ...env, ...more } })
      return /^MUSTER_URL=(.+)$/m.exec(await readFile(join(folder, `credentials-${email}`), 'utf8'))?.[1]
    }
    expect(await addedUrl('ada@example.com')).toMatch(/^http:\/\/127\.0\.0\.1:/)
    const MUSTER_PUBLIC_URL = 'https://muster.example.com'
    expect(await addedUrl('bob@example.com', { MUSTER_PUBLIC_URL })).toBe(MUSTER_PUBLIC_URL)
  })

  it("resets a user's password, and writes the new password to a new file", async () => {
    const { env: usual, folder } = await newInstallation()
    const [port] = await claimPorts(1)
    const env = { ...usual, PORT: String(port) }
    const server = startMuster(['serve'], { env })
    await server.waitForOutput('stdout', /is ready/)
    const passwordIn = async (file: string) => /^MUSTER_PASSWORD=(.+)$/m.exec(await readFile(file, 'utf8'))![1]!
    const signIn = async (password: string) => {
      const url = `http://127.0.0.1:${port}`
      const headers = {
        'content-type': 'application/json',
        'muster-session': '1',
        origin: url,
        'sec-fetch-site': 'same-origin',
      }
      const body = JSON.stringify({ email: 'owner@localhost', password })
      return (await fetch(`${url}/auth/sign-in/email`, { method: 'POST', headers, body })).status
    }
    const former = await passwordIn(join(folder, 'credentials'))
    expect(await signIn(former)).toBe(200)

    const reset = await muster(['users', 'reset-password', 'Owner@localhost', '--json'], { env })
    const password = join(folder, 'password-owner@localhost')
    expect(JSON.parse(reset.stdout)).toEqual({
      email: 'owner@localhost',
      password,
      link: null,
      sessionsEnded: 1,
      keysRevoked: 0,
      codes: false,
      passkeys: 0,
      identities: 0,
    })
    expect((await stat(password)).mode & 0o777).toBe(0o600)
    const given = await passwordIn(password)
    expect([await signIn(former), await signIn(given)]).toEqual([401, 200])

    // A second reset fails without overwriting the file or changing the password.
    const again = await muster(['users', 'reset-password', 'owner@localhost'], { env })
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass another file with --file') })
    expect(await signIn(given)).toBe(200)
    const unknownUser = await muster(['users', 'reset-password', 'unknown@example.com', '--json'], { env })
    expect(JSON.parse(unknownUser.stderr)).toMatchObject({ error: { code: 'NOT_FOUND' } })
    server.child.kill('SIGTERM')
    await server.done
  })
})
