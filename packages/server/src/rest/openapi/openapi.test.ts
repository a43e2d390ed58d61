import { beforeAll, expect, test } from 'vitest'
import { type RestResponse, send } from '../../../test/clients/rest.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { type Route, routeName, statusOf } from '../route.ts'
import { routes } from '../routes.ts'

interface Parameter {
  name: string
  in: string
  required: boolean
}

interface Described {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, unknown> }
  responses: Record<string, { description: string; content?: unknown }>
  security?: unknown[]
  deprecated: boolean
}

const app = sharedTestApp()
let response: RestResponse
beforeAll(async () => {
  response = await send(`${app.url}/rest/v1/openapi.json`)
})

const described = ({ path, method }: Route): Described => response.body.paths[path][method.toLowerCase()]

function everyValue(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === key ? [member] : []),
    ...everyValue(member, key),
  ])
}

test('returns an OpenAPI 3.1 document without a signature', () => {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.body).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Muster', version: expect.any(String) },
    servers: [{ url: '/rest/v1' }],
    security: [{ signature: [] }],
  })
})

test('contains exactly the routes in the table', () => {
  const methods = Object.entries(response.body.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(methods.sort()).toEqual(routes.map(routeName).sort())
})

test('contains unique operation IDs', () => {
  const ids = routes.map((route) => described(route).operationId)
  expect(new Set(ids).size).toBe(routes.length)
  expect(ids.filter((id) => !/^\w+$/.test(id))).toEqual([])
})

test('contains every component that it refers to', () => {
  const refs = new Set(everyValue(response.body, '$ref') as string[])
  const names = Object.keys(response.body.components.schemas)
  expect(refs.size).toBeGreaterThan(10)
  expect([...refs].filter((ref) => !names.includes(ref.replace('#/components/schemas/', '')))).toEqual([])
})

test('contains no unused components', () => {
  const refs = everyValue(response.body, '$ref') as string[]
  const names = Object.keys(response.body.components.schemas)
  expect(names.filter((name) => !refs.includes(`#/components/schemas/${name}`))).toEqual([])
})

test('requires only members that exist', () => {
  const objects = [
    response.body,
    ...everyValue(response.body, 'schema'),
    ...Object.values(response.body.components.schemas),
  ]
  const wrong = objects.flatMap((each) => {
    const { required, properties = {} } = each as { required?: unknown; properties?: object }
    return Array.isArray(required) ? required.filter((name) => !Object.hasOwn(properties, name)) : []
  })
  expect(wrong).toEqual([])
})

test.each(routes.map((route) => [routeName(route), route] as const))('describes %s', (_name, route) => {
  const { parameters = [], requestBody, responses, security, deprecated } = described(route)
  const inPath = parameters.filter((each) => each.in === 'path')
  expect(inPath.map(({ name }) => name).sort()).toEqual(
    Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name]) => name).sort(),
  )
  expect(inPath.every(({ required }) => required)).toBe(true)
  const keys = parameters.map((each) => `${each.in} ${each.name}`)
  expect(new Set(keys).size).toBe(keys.length)
  expect(deprecated).toBe(true)
  expect(security).toEqual(route.isPublic ? [] : undefined)
  expect(Object.keys(responses).sort()).toEqual([String(statusOf(route)), '4XX', '5XX'].sort())
  expect(Object.values(responses).every(({ description }) => description.length > 0)).toBe(true)
  expect(responses[statusOf(route)]?.content === undefined).toBe(route.status === 204)
  if (route.method === 'GET') expect(requestBody).toBeUndefined()
  else expect(parameters.some((each) => each.in === 'query')).toBe(false)
})

test('marks a body as required only if the route needs one', () => {
  const bodyOf = (path: string, method: string) => response.body.paths[path][method].requestBody
  expect(bodyOf('/devices', 'post').required).toBe(true)
  expect(bodyOf('/devices/{id}', 'delete').required).toBe(false)
  expect(bodyOf('/webhooks/{id}', 'delete')).toBeUndefined()
  expect(Object.keys(bodyOf('/user/attributes', 'patch').content)).toEqual([
    'application/json',
    'application/merge-patch+json',
  ])
})
