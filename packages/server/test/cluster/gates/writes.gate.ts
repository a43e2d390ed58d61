import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { attributeWrites } from '../../api/attribute-writes.ts'
import { changesOf, infoOf, registerGate, setOne } from '../../api/value-times.ts'
import { childrenOf } from '../../faults/signals.ts'
import { sharedTestApp } from '../../harness/app.ts'
import { nodeNames, processOf } from '../nodes.ts'
import { startReader } from './reader.ts'

const app = sharedTestApp()

/** The number of changes, and of lists, between the two measurements of memory. */
const CHANGES = 1_000
const MAX_GROWTH_MB = 20

/** Returns the sum of the anonymous memory of the child processes of all nodes, in MB. */
async function memoryOfNodes(): Promise<number> {
  let kilobytes = 0
  for (const name of nodeNames) {
    for (const child of await childrenOf(await processOf(name))) {
      // A process can exit before its file is read.
      const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '')
      kilobytes += Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
    }
  }
  return kilobytes / 1_000
}

it('uses hardly more memory on the nodes after many changes and lists', async () => {
  const { reader, places, countWrites } = await startReader(app)
  const owner = await app.createUser()
  const { id } = await registerGate(owner)
  const user = reader.as(owner)
  const change = async (count: number): Promise<void> => {
    for (let time = 0; time < count; time++) {
      await setOne(user, id, ['load', String(time)])
      await user.data('{ login { devices { items { name attributes } } } }')
    }
  }
  // Make some changes before the first measurement, because the first changes and lists load the caches of the nodes.
  await expect.poll(() => change(100).then(countWrites)).toBeGreaterThan(100)
  const before = await memoryOfNodes()
  const writes = countWrites()
  const lists = places.length
  await change(CHANGES)
  const growth = (await memoryOfNodes()) - before
  expect(countWrites() - writes).toBe(CHANGES)
  expect(places.slice(lists)).toEqual(Array.from({ length: CHANGES }, () => 'replica'))
  expect(growth).toBeLessThan(MAX_GROWTH_MB)
  console.log(`${CHANGES} changes and lists on a worker: the memory of the nodes grew by ${growth.toFixed(1)} MB`)
})

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
