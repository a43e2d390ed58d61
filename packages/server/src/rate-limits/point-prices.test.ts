import { describe, expect, test } from 'vitest'
import { listBounds } from '../fields/list-bounds.ts'
import { rowCosts } from '../fields/row-costs.ts'
import { createExecutor } from '../graphql/prepare-operation.ts'
import { buildSchema } from '../schema.ts'
import { pointsOfChanges, pointsOfObjects } from './point-prices.ts'

const { prepare } = createExecutor({
  schema: buildSchema(),
  listBounds,
  rowCosts: rowCosts({ firstRecord: 1 }),
  jit: false,
})

function points(query: string, variables = {}): number {
  const operation = prepare({ query, variables })
  if (!operation.ok) throw new Error(JSON.stringify(operation.errors))
  return 1 + pointsOfObjects(operation.objectCount) + pointsOfChanges(operation)
}

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ serviceId: `${index}`, attributes: {} }))

test.each<[number, string, object?]>([
  [1, '{ login { id } }'],
  [1, '{ version }'],
  // A response with 1 user, 1 page, and 97 devices contains 99 objects. With 98 devices, a response contains 100
  // objects, which cost a second point.
  [1, '{ login { devices(size: 97) { items { id } } } }'],
  [2, '{ login { devices(size: 98) { items { id } } } }'],
  [11, 'query ($size: Int!) { login { devices(size: $size) { items { id } } } }', { size: 1_000 }],
  // Each device can have 100 services.
  [1_011, '{ login { devices(size: 1000) { items { services { id } } } } }'],
  [2, 'mutation { setAttribute(serviceId: "a", name: "b", value: "c") }'],
  [
    3,
    'mutation { a: setAttribute(serviceId: "a", name: "b", value: "c") b: setAttribute(serviceId: "a", name: "d", value: "c") }',
  ],
])('charges %d points for %s', (expected, query, variables) => {
  expect(points(query, variables)).toBe(expected)
})

describe.each([
  ['transferDevices', 'transferDevices(accountId: "a", deviceId: $ids)'],
  ['deleteDevices', 'deleteDevices(deviceId: $ids)'],
])('%s', (_, field) => {
  test.each([
    [1, 2],
    [11, 3],
    [1_000, 101],
  ])('with %d devices costs %d points', (count, expected) => {
    const query = `mutation ($ids: [String!]!) { ${field} }`
    expect(points(query, { ids: Array.from({ length: count }, String) })).toBe(expected)
  })
})

test.each([
  [0, 2],
  [1, 2],
  [10, 2],
  [11, 3],
  // The 250 objects in the response also cost 2 points.
  [250, 28],
])('%d items in setAttributesMany cost %d points', (count, expected) => {
  const query = 'mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }'
  expect(points(query, { items: items(count) })).toBe(expected)
})
