import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRoute } from './transport/http-route-fixture.ts'

let route: Awaited<ReturnType<typeof serveRoute>>
beforeAll(async () => {
  route = await serveRoute()
})
afterAll(() => route.app.close())

async function mutate(query: string) {
  route.recorded.changes.length = 0
  const response = await route.post({ query: `mutation { ${query} }` }, { 'x-user': 'ann' })
  const { errors = [], data } = response.json()
  return {
    status: response.statusCode,
    retryAfter: response.headers['retry-after'],
    data,
    errors,
    changes: route.recorded.changes,
  }
}

describe('a mutation that changes data', () => {
  test.each([
    [
      'make(fails: "slow") { name }',
      'UNAVAILABLE',
      /^the change was made \(do not repeat it\), but reading .* failed: the database took too long/,
    ],
    [
      'make(fails: "gone") { name }',
      'NOT_FOUND',
      /^the change was made \(do not repeat it\), but reading .* failed: there is no thing "7"/,
    ],
    ['make { name part(size: 0) }', 'BAD_USER_INPUT', /^size must be from 1 to 1000/],
    ['grow(mib: 32)', 'LIMIT_EXCEEDED', /^the change was made, but the response may have at most 33554432 bytes/],
  ])('reports the outcome "done" if %s fails with %s after the change', async (query, code, message) => {
    const { status, retryAfter, data, errors, changes } = await mutate(query)
    expect({ status, retryAfter, data, changes }).toMatchObject({ status: 200, retryAfter: undefined, data: null })
    expect(changes).toHaveLength(1)
    expect(errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code, outcome: 'done' }) }),
    ])
    expect(errors[0].extensions).not.toHaveProperty('retryAfter')
    expect(errors[0].message).toMatch(message)
  })

  test('reports no outcome if it succeeds', async () => {
    expect(await mutate('make { name part(size: 1) }')).toMatchObject({
      data: { make: { name: 'thing', part: 'part' } },
      errors: [],
    })
  })
})

test('reports no outcome for the errors of a query or of a rejected mutation', async () => {
  const read = await route.post({ query: '{ refused big(mib: 32) }' }, { 'x-user': 'ann' })
  const rejected = await route.post({ query: 'mutation { change(to: "x") }' }, { 'x-user': 'ro' })
  for (const response of [read, rejected]) {
    expect(response.json().errors).not.toEqual([])
    for (const { extensions } of response.json().errors) expect(extensions).not.toHaveProperty('outcome')
  }
})
