import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { createCliUser } from '../harness/cli-user.ts'

const app = sharedTestApp()

it('lists members, changes their roles, and removes them', async () => {
  const { user, run, lines } = await createCliUser(app)
  const id = await user.addMember!('viewer')
  const found = await lines('members', 'list')
  expect(found).toHaveLength(2)
  const { person } = found.find((each) => each.person.id === id)
  expect((await run('members', 'list', '--columns', 'role,email')).stdout).toContain(`viewer  ${person.email}\n`)

  const [changed] = await lines('members', 'set-role', person.email.toUpperCase(), 'Operator')
  expect(changed).toMatchObject({ person: { id }, role: { id: 'operator' } })
  expect((await run('members', 'set-role', id, 'viewer')).stdout).toMatch(/^role +viewer$/m)
  expect(await run('members', 'set-role', id, 'owner')).toMatchObject({ code: 5 })
  expect(await run('members', 'set-role', id, 'none')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no role has the ID or name "none"'),
  })
  expect(await run('members', 'set-role', 'no-member@example.com', 'viewer')).toMatchObject({ code: 4 })

  expect(await run('members', 'remove', id)).toMatchObject({ code: 2 })
  expect(await run('members', 'remove', id, '--disable-keys', '--yes')).toMatchObject({
    code: 0,
    stdout: `Removed ${id}\n`,
  })
  expect(await lines('members', 'list')).toHaveLength(1)
})

it('lists, creates, changes, and deletes roles', async () => {
  const { user, run, lines } = await createCliUser(app)
  expect((await run('roles', 'list', '--columns', 'id')).stdout).toBe('id\nviewer\noperator\nadmin\nowner\n')
  const [role] = await lines('roles', 'create', 'Readers', '--permissions', 'device-read,EVENT_READ', '--group', 'ops')
  expect(role).toMatchObject({ name: 'Readers', permissions: ['DEVICE_READ', 'EVENT_READ'], groups: ['ops'] })
  expect(await run('roles', 'create', 'x')).toMatchObject({ code: 2 })
  expect(await run('roles', 'create', 'x', '--permissions', 'device-raed')).toMatchObject({ code: 1 })
  expect(await run('roles', 'create', 'READERS', '--permissions', 'device-read')).toMatchObject({ code: 7 })

  const [updated] = await lines('roles', 'update', 'readers', '--name', 'Staff', '--permissions', 'device-read')
  expect(updated).toMatchObject({ id: role.id, name: 'Staff', permissions: ['DEVICE_READ'], groups: ['ops'] })
  const [cleared] = await lines('roles', 'update', 'Staff', '--group', '')
  expect(cleared.groups).toEqual([])
  expect(await run('roles', 'update', 'Staff')).toMatchObject({ code: 2 })
  expect(await run('roles', 'update', 'viewer', '--name', 'x')).toMatchObject({ code: 1 })

  const limited = ['--read', 'site,net.*', '--write', 'status.*', '--where', 'name = oslo']
  const [guests] = await lines('roles', 'create', 'Guests', '--permissions', 'device-read', ...limited)
  expect(guests).toMatchObject({ attributes: { read: ['site', 'net.*'], write: ['status.*'] }, where: 'name = oslo' })
  const [readers] = await lines('roles', 'update', 'Guests', '--read', 'site')
  expect(readers).toMatchObject({ attributes: { read: ['site'], write: [] }, where: 'name = oslo' })
  expect((await run('roles', 'list', '--columns', 'name,read,write')).stdout).toMatch(/^Guests +site *$/m)
  const [all] = await lines('roles', 'update', 'Guests', '--no-attributes', '--no-where')
  expect(all).toMatchObject({ attributes: null, where: null })

  const id = await user.addMember!('viewer')
  await run('members', 'set-role', id, 'staff')
  expect(await run('roles', 'delete', 'Staff', '--yes')).toMatchObject({ code: 7 })
  await run('members', 'set-role', id, 'viewer')
  expect(await run('roles', 'delete', 'Staff', '--yes')).toMatchObject({ code: 0, stdout: 'Deleted Staff\n' })
})

it('creates, resends, and deletes invitations', async () => {
  const { run, lines } = await createCliUser(app)
  const created = await run('invitations', 'create', 'lin@example.com', '--role', 'operator', '--expires', '2d')
  expect(created.stdout).toMatch(/^http\S+\/invitation#\S+\n$/)
  expect(created.stderr).toMatch(
    /^The link is shown only once\. Until .*, one person can use it to join the account with the role operator\.$/m,
  )
  const [invitation] = await lines('invitations', 'list')
  expect(invitation).toMatchObject({ email: 'lin@example.com', role: { id: 'operator' } })
  expect(invitation).not.toHaveProperty('link')
  const [renewed] = await lines('invitations', 'resend', 'Lin@example.com')
  expect(renewed.id).toBe(invitation.id)
  expect(`${renewed.link}\n`).not.toBe(created.stdout)
  expect(await run('invitations', 'create', '--role', 'viewer', '--expires', '31d')).toMatchObject({ code: 1 })
  expect(await run('invitations', 'create', 'x@example.com')).toMatchObject({ code: 2 })
  expect(await run('invitations', 'delete', invitation.id, '--yes')).toMatchObject({ code: 0 })
  expect(await run('invitations', 'delete', invitation.id, '--yes')).toMatchObject({ code: 4 })
  expect((await run('invitations', 'list')).stderr).toContain('No invitations found.')
})
