import { expect, it } from 'vitest'
import { attributeWrites } from '../../api/attribute-writes.ts'
import { changesOf, infoOf, registerGate, setOne } from '../../api/value-times.ts'
import { sharedTestApp } from '../../harness/app.ts'
import { startReader } from './reader.ts'

const app = sharedTestApp()

it('sets attributes in every way on the worker that stores the account', async () => {
  const { reader, countWrites } = await startReader(app, { mqtt: true })
  const owner = await app.createUser()
  const user = reader.as(owner)
  const device = await registerGate(owner)
  const targets = { device: device.id, service: device.service, user: owner.accountId }
  await expect
    .poll(async () => {
      await setOne(user, device.id, ['load', 'first'])
      return countWrites()
    })
    .toBeGreaterThan(0)
  for (const [way, { target: kind, name = 'load', context, write }] of Object.entries(attributeWrites)) {
    const before = countWrites()
    const target = targets[kind]
    await write({ app: reader, user, device, target }, way)
    expect([way, (await infoOf(owner, target, name, context)).value]).toEqual([way, way])
    expect([way, countWrites() > before]).toEqual([way, true])
    const events = await changesOf(app, owner)
    const changes = events.filter((event) => event.target === target).map((event) => event.changes)
    expect(changes).toContainEqual(expect.objectContaining({ [name]: expect.objectContaining({ new: way }) }))
  }
  const { errors } = await user.query(
    'mutation ($id: String!) { setAttribute(serviceId: $id, name: "load.sub", value: "x") }',
    { id: device.id },
  )
  expect(errors?.[0]?.extensions.code).toBe('CONFLICT')
  console.log(
    `${Object.keys(attributeWrites).length} ways to set an attribute: ${countWrites()} transactions on workers`,
  )
})
