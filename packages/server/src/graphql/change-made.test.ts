import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRoute } from './http-route-fixture.ts'

let route: Awaited<ReturnType<typeof serveRoute>>
beforeAll(async () => {
  route = await serveRoute()
})
afterAll(() => route.app.close())

/** The answer to a mutation of somebody, and what it changed. */
async function mutate(query: string) {
  route.noted.changes.length = 0
  const response = await route.post({ query: `mutation { ${query} }` }, { 'x-user': 'ann' })
  const { errors = [], data } = response.json()
  return {
    status: response.statusCode,
    retryAfter: response.headers['retry-after'],
    data,
    errors,
    changes: route.noted.changes,
  }
}

describe('a change that is made, and of which something cannot be told', () => {
  test.each([
    ['make(fails: "slow") { name }', 'UNAVAILABLE', /^the change was made, but not read: the database took too long/],
    ['make(fails: "gone") { name }', 'NOT_FOUND', /^the change was made, but not read: no thing "7"/],
    ['make { name part(size: 0) }', 'BAD_USER_INPUT', /^size must be 1 to 1000/],
    ['grow(mib: 32)', 'LIMIT_EXCEEDED', /^the change was made; its answer may have 33554432 bytes/],
  ])('%s is %s, and done', async (query, code, message) => {
    const { status, retryAfter, data, errors, changes } = await mutate(query)
    expect({ status, retryAfter, data, changes }).toMatchObject({ status: 200, retryAfter: undefined, data: null })
    expect(changes).toHaveLength(1)
    expect(errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code, outcome: 'done' }) }),
    ])
    expect(errors[0].message).toMatch(message)
  })

  test('is no more than a change that is told', async () => {
    expect(await mutate('make { name part(size: 1) }')).toMatchObject({
      data: { make: { name: 'thing', part: 'part' } },
      errors: [],
    })
  })
})

test('what fails in a query, and a change that is refused, say nothing of an outcome', async () => {
  const read = await route.post({ query: '{ refused big(mib: 32) }' }, { 'x-user': 'ann' })
  const refused = await route.post({ query: 'mutation { change(to: "x") }' }, { 'x-user': 'ro' })
  for (const response of [read, refused]) {
    expect(response.json().errors).not.toEqual([])
    for (const { extensions } of response.json().errors) expect(extensions).not.toHaveProperty('outcome')
  }
})
