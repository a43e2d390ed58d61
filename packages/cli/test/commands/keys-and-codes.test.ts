import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { generateKeyPair } from '@muster/client'
import { describe, expect, it } from 'vitest'
import { keyOf, sendAsUser } from '../../../server/test/factories/keys.ts'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { createCliUser } from '../harness/cli-user.ts'
import { credentialsOf } from '../harness/muster.ts'

const app = sharedTestApp()

describe('configure', () => {
  it('checks credentials, and saves them in a profile that only the owner can read', async () => {
    const { user, start, run, env } = await createCliUser(app)
    const file = env.MUSTER_CREDENTIALS!
    const args = ['configure', '--url', app.url, '--key-id', user.keyId, '--secret-stdin', '--profile']
    const saved = await start([...args, 'work'], { input: `${user.secret}\n` }).done
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining(user.email) })
    expect(saved.stdout + saved.stderr).not.toContain(user.secret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await run('configure', '--list')).stdout).toBe('default\nwork\n')
    expect(await run('devices', 'list', '--profile', 'work')).toMatchObject({ code: 0 })
    expect(await run('devices', 'list', '--profile', 'none')).toMatchObject({ code: 2 })

    const before = readFileSync(file, 'utf8')
    const wrong = await start([...args, 'other'], { input: 'd3Jvbmc=\n' }).done
    expect(wrong).toMatchObject({ code: 5, stdout: '' })
    expect(await start([...args, 'a b'], { input: user.secret }).done).toMatchObject({ code: 2 })
    expect(await run('configure', '--url', app.url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--key-id'),
    })
    expect(readFileSync(file, 'utf8')).toBe(before)
    const unchecked = await start([...args, 'other', '--no-check'], { input: 'd3Jvbmc=' }).done
    expect(unchecked).toMatchObject({ code: 0, stdout: expect.stringContaining('Not checked') })
    expect(readFileSync(file, 'utf8')).toBe(
      `${before}\n[other]\nMUSTER_URL=${app.url}\nMUSTER_ACCESS_KEY_ID=${user.keyId}\nMUSTER_SECRET_ACCESS_KEY=d3Jvbmc=\n`,
    )
  })

  it("prints how to use a profile in a server's folder, which has its own credentials", async () => {
    const { user, start, home } = await createCliUser(app)
    mkdirSync(join(home, 'data'))
    writeFileSync(join(home, 'data', 'credentials'), credentialsOf(app.url, user))
    const run = (...args: string[]) =>
      start([...args, '--profile', 'work'], { input: user.secret, env: { MUSTER_CREDENTIALS: '' } }).done
    const args = ['configure', '--url', app.url, '--key-id', user.keyId, '--secret-stdin']
    const file = join(home, '.muster', 'credentials')
    for (const options of [[], ['--json']]) {
      const saved = await run(...args, ...options)
      expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining(`pass --credentials ${file} or set`) })
    }
    expect(await run('devices', 'list')).toMatchObject({ code: 2 })
    expect(await run('devices', 'list', '--credentials', file)).toMatchObject({ code: 0 })
    const env = { MUSTER_CREDENTIALS: relative(process.cwd(), file) }
    expect(await start(args, { input: user.secret, env }).done).toMatchObject({ code: 0, stderr: '' })
  })

  it('saves an access key with a public key', async () => {
    const { run, lines, home } = await createCliUser(app)
    const { publicKey, privateKey } = await generateKeyPair()
    const [own, shared] = [join(home, 'private.pem'), join(home, 'public.pem')]
    writeFileSync(own, privateKey)
    writeFileSync(shared, publicKey)
    const [key] = await lines('keys', 'create', '--public-key', shared)
    expect(key).toMatchObject({ algorithm: 'ed25519', secret: null })
    const args = ['configure', '--url', app.url, '--key-id', key.key, '--private-key', own, '--profile', 'pair']
    expect(await run(...args)).toMatchObject({ code: 0 })
    expect(await run('devices', 'list', '--profile', 'pair')).toMatchObject({ code: 0 })
    const rotated = await run('keys', 'rotate', key.key, '--public-key', shared)
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Key: MK\w+\n$/) })
  })
})

describe('keys', () => {
  it('shows the uses of a key, and prints a command that creates a key with only the permissions it used', async () => {
    const { lines, run, user } = await createCliUser(app)
    const limits = ['--permissions', 'device-read,event-read', '--where', 'name = "it\'s"', '--networks', '127.0.0.0/8']
    const [key] = await lines('keys', 'create', 'a gate', ...limits, '--save', 'gate')
    expect(await run('keys', 'usage', key.key)).toMatchObject({ code: 0, stderr: expect.stringContaining('No uses') })
    expect(await run('keys', 'usage', key.key, '--tighten')).toMatchObject({ code: 2 })
    const [field, permission] = ['User.devices', 'DEVICE_READ']
    const count = { account_id: user.accountId, key: key.key, day: new Date(), field, permission, uses: 7, rejected: 1 }
    await app.db
      .insertInto('key_use')
      .values({ ...count, last_used: new Date() })
      .execute()
    expect(await lines('keys', 'usage', key.key)).toMatchObject([{ field, permission, uses: 7, rejected: 1 }])
    expect((await run('keys', 'usage', key.key, '--tighten')).stdout).toBe(
      `muster keys create 'a gate' --permissions DEVICE_READ --where 'name = "it'\\''s"' --networks 127.0.0.0/8\n`,
    )
    expect((await run('keys', 'list', '--columns', 'name,unused')).stdout).toContain('a gate')
    expect(await run('keys', 'usage', 'MKNONE')).toMatchObject({ code: 4 })
    expect(await run('keys', 'usage', key.key, '--days', '401')).toMatchObject({ code: 2 })
  })

  it('shows what a key, a role, or a new key could do', async () => {
    const { lines, run, user, home } = await createCliUser(app)
    const [device] = await lines('devices', 'register', 'gate', '--attribute', 'site=oslo')
    const document = join(home, 'document.graphql')
    writeFileSync(document, 'query ($with: Boolean!) { login { id webhooks @include(if: $with) { id } } }')
    const [key] = await lines('keys', 'create', 'gate', '--permissions', 'device-read', '--where', 'site = oslo')
    await run('keys', 'create', 'reader', '--permissions', 'device-read', '--save', 'reader')
    const args = ['keys', 'simulate', key.key, '--file', document, '--device', device.id, '--attribute', 'site']
    const { stdout } = await run(...args, '--variables', '{"with": true}')
    expect(stdout).toMatch(
      /^Runs the document +no\nReads the device +yes\nReads the attribute +yes\nSets the attribute +no\n/,
    )
    expect(stdout).toMatch(/Permissions +DEVICE_READ\nDevices +1\nDenied: /)
    expect(stdout).toMatch(/Denied: the key lacks .*WEBHOOK_MANAGE.*\n/)
    expect(stdout).toContain('Warning: the filter reads site, which devices can set themselves\n')
    expect(await lines(...args, '--variables', '{"with": false}')).toMatchObject([
      { allowed: true, deviceReachable: true },
    ])
    expect(await lines('keys', 'simulate')).toMatchObject([{ allowed: null, devices: 1 }])
    expect(await lines('keys', 'simulate', '--where', 'site = bergen OR name = none')).toMatchObject([{ devices: 0 }])
    const [role] = await lines('keys', 'simulate', '--role', 'Viewer')
    expect(role.reasons).toContain('the role viewer lacks DEVICE_WRITE')
    expect(await run('keys', 'simulate', '--role', 'admin', '--profile', 'reader')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('MEMBER_MANAGE'),
    })
    for (const wrong of [
      ['MKNONE', '--role', 'viewer'],
      [user.keyId, '--variables', '[]'],
    ])
      expect(await run('keys', 'simulate', ...wrong)).toMatchObject({ code: 2 })
    expect(await run('keys', 'simulate', 'MKNONE')).toMatchObject({ code: 4 })
  })

  it('creates, saves, disables, enables, and deletes access keys', async () => {
    const { user, run, lines } = await createCliUser(app)
    const created = await run('keys', 'create', 'reader', '--read-only', '--expires', '90d', '--save', 'reader')
    expect(created).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Secret') })
    const keys = await lines('keys', 'list')
    expect(keys).toMatchObject([{ name: 'reader', readOnly: true, expires: expect.any(String) }, { key: user.keyId }])
    const { key } = keys[0]
    const forbidden = await run('devices', 'register', 'x', '--profile', 'reader', '--json')
    expect(forbidden.code).toBe(5)
    expect(JSON.parse(forbidden.stderr)).toMatchObject({ error: { code: 'FORBIDDEN', hint: expect.any(String) } })
    expect(await lines('keys', 'disable', key)).toMatchObject([{ enabled: false }])
    await expect.poll(async () => (await run('devices', 'list', '--profile', 'reader')).code).toBe(5)
    expect(await lines('keys', 'enable', key)).toMatchObject([{ enabled: true }])
    expect(await run('keys', 'delete', key)).toMatchObject({ code: 2 })
    expect(await run('keys', 'delete', key, '--yes')).toMatchObject({ code: 0, stdout: `Deleted ${key}\n` })
    expect(await run('keys', 'delete', key, '--yes')).toMatchObject({ code: 4 })
    expect(await run('keys', 'create', '--expires', 'soon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('7d'),
    })
    expect((await run('keys', 'create', 'plain')).stdout).toMatch(/^Key: MK\w+\nSecret: \S+\n$/)
  })

  it('rotates the key of a profile and saves the new key, and rotates other keys', async () => {
    const { user, run, env } = await createCliUser(app)
    const args = ['keys', 'create', 'rotated', '--save', 'work']
    expect(await run(...args)).toMatchObject({ code: 0 })
    const rotated = await run('keys', 'rotate', '--overlap', '0', '--profile', 'work')
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved as profile work') })
    const [, key] = /^Key: (\w+)/.exec(rotated.stdout)!
    expect(readFileSync(env.MUSTER_CREDENTIALS!, 'utf8')).toContain(`MUSTER_ACCESS_KEY_ID=${key}`)
    expect(await run('devices', 'list', '--profile', 'work')).toMatchObject({ code: 0 })
    const other = await run('keys', 'rotate', user.keyId)
    expect(other.code).toBe(0)
    expect((await run('keys', 'rotate', key!)).stdout).toMatch(/^Key: MK\w+\nSecret: \S+\n$/)
    expect(await run('keys', 'rotate', key!)).toMatchObject({ stderr: expect.stringContaining('was already rotated') })
    expect(await run('keys', 'rotate', '--overlap', '31d')).toMatchObject({ code: 2 })
  })

  it('shows and changes the key policy', async () => {
    const { user, run, lines } = await createCliUser(app)
    expect((await run('keys', 'policy')).stdout).toContain('Maximum key lifetime in days: no limit')
    const rules = ['--max-days', '90', '--require-networks', 'yes', '--enforced-from', '30d']
    expect(await lines('keys', 'policy', ...rules)).toMatchObject([
      { maxDays: 90, requireNetworks: true, requireDigest: false, violations: [{ key: user.keyId }] },
    ])
    expect(await run('keys', 'create', 'forever')).toMatchObject({ stderr: expect.stringContaining('maxDays') })
    const [policy] = await lines('keys', 'policy', '--no-max-days', '--no-enforced-from', '--require-networks', 'no')
    expect(policy).toMatchObject({ maxDays: null, enforcedFrom: null, requireNetworks: false, violations: [] })
  })

  it('changes the key policy with a key that cannot list keys', async () => {
    const { user, run, write } = await createCliUser(app)
    const key = await keyOf(app, sendAsUser(user), 'access: { permissions: [ACCOUNT_MANAGE] }')
    const file = await write('manager', credentialsOf(app.url, key))
    const changed = await run('keys', 'policy', '--max-days', '90', '--credentials', file)
    expect(changed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Maximum key lifetime in days: 90'),
      stderr: expect.stringContaining('The policy was changed'),
    })
    expect(await run('keys', 'policy', '--credentials', file)).toMatchObject({ code: 5, stdout: '' })
  })

  it('creates a key with few permissions, and then removes some of them', async () => {
    const { run, lines } = await createCliUser(app)
    const few = ['--permissions', 'device-read,EVENT_READ', '--networks', '127.0.0.0/8', '--rate-share', '50']
    const [created] = await lines('keys', 'create', 'few', ...few)
    expect(created).toMatchObject({
      kind: 'account',
      permissions: ['DEVICE_READ', 'EVENT_READ'],
      networks: ['127.0.0.0/8'],
      rateShare: 50,
    })
    const { key } = created
    expect(await lines('keys', 'update', key, '--permissions', 'DEVICE_READ', '--no-networks')).toMatchObject([
      { permissions: ['DEVICE_READ'], networks: [] },
    ])
    expect(await run('keys', 'update', key, '--permissions', 'DEVICE_READ,DEVICE_WRITE')).toMatchObject({
      stderr: expect.stringContaining('create another key'),
    })
    expect(await run('keys', 'update', key)).toMatchObject({ code: 2 })
    expect((await lines('keys', 'create', '--personal'))[0]).toMatchObject({ kind: 'personal', suspended: null })
    const listed = await run('keys', 'list', '--columns', 'name,kind,permissions', '--csv')
    expect(listed.stdout).toContain('few,account,DEVICE_READ')
  })
})

describe('codes', () => {
  it('creates, lists, and deletes registration codes', async () => {
    const { run, lines } = await createCliUser(app)
    const args = ['--uses', '5', '--expires', '12h', '--name', 'kiosk', '--attribute', 'site=oslo', '--service', 'ssh']
    const created = await run('codes', 'create', ...args)
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\w{20,}\n$/) })
    expect(created.stderr).toContain(`muster agent register --url ${app.url} --code ${created.stdout.trim()}`)
    const response = await fetch(`${app.url}/devices/v1/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: created.stdout.trim(), hardwareId: 'H' }),
    })
    expect(response.ok).toBe(true)
    expect(await lines('devices', 'get', 'H')).toMatchObject([
      { name: 'kiosk', attributes: { site: 'oslo' }, services: [{ title: 'SSH' }] },
    ])
    const [{ id, used, uses }] = await lines('codes', 'list')
    expect({ used, uses }).toEqual({ used: 1, uses: 5 })
    expect((await run('codes', 'list', '--csv', '--columns', 'name,used')).stdout).toBe('name,used\nkiosk,1\n')
    expect(await lines('codes', 'delete', id, '--yes')).toEqual([{ deleted: [id] }])
    expect(await run('codes', 'list')).toMatchObject({ code: 0, stdout: '' })
  })
})
