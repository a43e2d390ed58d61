import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestMember } from '../../../../test/factories/member.ts'
import { ask, done, newTeam, setRole, type Team } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestApp } from '../../../../test/harness/app.ts'

const app = sharedTestApp()
let other: TestApp
beforeAll(async () => {
  other = await app.startAnother()
})
afterAll(() => other.close())

let owner: TestMember
let admin: TestMember
let viewer: TestMember
let eventsOf: Team['eventsOf']
beforeEach(async () => {
  ;({ owner, admin, viewer, eventsOf } = await newTeam(app))
})

describe('roles', () => {
  const create =
    'mutation ($name: String!, $access: AccessInput!, $groups: [String!]) { createRole(name: $name, access: $access, groups: $groups) { id } }'
  const update =
    'mutation ($id: ID!, $access: AccessInput, $groups: [String!], $name: String) { updateRole(id: $id, access: $access, groups: $groups, name: $name) { id name groups permissions } }'

  it('limit members to their permissions', async () => {
    const { createRole: role } = await done(admin, create, {
      name: 'Readers',
      access: { permissions: ['DEVICE_READ'] },
    })
    await done(admin, setRole, { personId: viewer.id, roleId: role.id })
    expect((await ask(viewer, '{ login { devices { total } } }')).error).toBeUndefined()
    expect((await ask(viewer, '{ login { events { total } } }')).error).toEqual(['FORBIDDEN', 'permission'])
    await done(admin, update, { id: role.id, access: { permissions: ['EVENT_READ'] } })
    expect((await ask(viewer, '{ login { devices { total } } }', {}, other)).error).toEqual(['FORBIDDEN', 'permission'])
    expect((await ask(admin, 'mutation ($id: ID!) { deleteRole(id: $id) }', { id: role.id })).error?.[0]).toBe(
      'CONFLICT',
    )
    await done(admin, setRole, { personId: viewer.id, roleId: 'viewer' })
    await done(admin, 'mutation ($id: ID!) { deleteRole(id: $id) }', { id: role.id })
    const types = (await eventsOf('ROLE_CREATE, ROLE_UPDATE, ROLE_DELETE')) as { target: unknown }[]
    expect(types).toHaveLength(3)
  })

  it('cannot be created, granted, or changed by members with less access', async () => {
    const permissions = ['MEMBER_MANAGE', 'DEVICE_READ', 'AUDIT_READ']
    const { createRole: role } = await done(admin, create, { name: 'Managers', access: { permissions } })
    await done(admin, setRole, { personId: viewer.id, roleId: role.id })
    const tooMuch = { name: 'x', access: { permissions: ['DEVICE_DELETE'] } }
    expect((await ask(viewer, create, tooMuch)).error).toEqual(['FORBIDDEN', 'exceeds-own-access'])
    expect((await ask(viewer, setRole, { personId: viewer.id, roleId: 'admin' })).error).toEqual([
      'FORBIDDEN',
      'exceeds-own-access',
    ])
    expect((await ask(admin, update, { id: 'owner', groups: ['ops'] })).error).toEqual([
      'FORBIDDEN',
      'exceeds-own-access',
    ])
    expect((await done(owner, update, { id: 'owner', groups: ['ops'] })).updateRole.groups).toEqual(['ops'])
    expect((await ask(owner, update, { id: 'owner', name: 'x' })).error?.[0]).toBe('BAD_USER_INPUT')
    expect((await ask(admin, create, { name: 'Admin', access: {} })).error?.[0]).toBe('CONFLICT')
  })

  it('keep both changes if two requests change different parts of the restriction at the same time', async () => {
    const access = { permissions: ['DEVICE_READ'] }
    const { createRole: role } = await done(admin, create, { name: 'Readers', access })
    await Promise.all([
      done(admin, update, { id: role.id, access: { where: 'attributes.site = oslo' } }),
      done(admin, update, { id: role.id, access: { attributes: { read: ['site'], write: [] } } }),
    ])
    const { login } = await done(admin, '{ login { roles { id where attributes { read write } } } }')
    expect(login.roles.find(({ id }: { id: string }) => id === role.id)).toEqual({
      id: role.id,
      where: 'attributes.site = oslo',
      attributes: { read: ['site'], write: [] },
    })
  })

  it('reflect all earlier changes in the same mutation', async () => {
    const { createRole: role } = await done(admin, create, { name: 'Readers', access: {} })
    const change = `mutation ($id: ID!, $viewer: ID!, $admin: ID!) {
      one: setMemberRole(personId: $viewer, roleId: $id) { role { name members } }
      updateRole(id: $id, name: "Auditors") { members }
      two: setMemberRole(personId: $admin, roleId: $id) { role { name members } }
    }`
    expect(await done(owner, change, { id: role.id, viewer: viewer.id, admin: admin.id })).toEqual({
      one: { role: { name: 'Readers', members: 1 } },
      updateRole: { members: 1 },
      two: { role: { name: 'Auditors', members: 2 } },
    })
  })

  it('are listed with the built-in roles first', async () => {
    await done(admin, create, { name: 'Auditors', access: { permissions: ['AUDIT_READ'] }, groups: ['audit'] })
    const { login } = await done(admin, '{ login { roles { id name builtIn members groups } } }')
    expect(login.roles.slice(0, 4).map(({ id }: { id: string }) => id)).toEqual([
      'viewer',
      'operator',
      'admin',
      'owner',
    ])
    expect(login.roles[0]).toMatchObject({ builtIn: true, members: 1 })
    expect(login.roles[4]).toMatchObject({ name: 'Auditors', builtIn: false, members: 0, groups: ['audit'] })
  })
})
