import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { Route } from '../../src/rest/route.ts'

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { schemas: Record<string, object> }
}

interface Response {
  content?: { 'application/json'?: { schema: object } }
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/**
 * Returns a function that fails if a response does not match the OpenAPI document. The function also fails if the
 * response has members that the document does not define.
 */
export function createResponseCheck(document: unknown): (route: Route, status: number, body: unknown) => void {
  const { paths, components } = withoutExtraProperties(document) as OpenApi
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('date-time', dateTime).addFormat('int32', { type: 'number', validate: Number.isInteger })
  ajv.addFormat('double', { type: 'number', validate: Number.isFinite })
  ajv.addSchema({ $id: 'openapi', components })
  const compiled = new Map<object, ValidateFunction>()
  return (route, status, body) => {
    const { responses = {} } = paths[route.path]?.[route.method.toLowerCase()] ?? {}
    const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`]
    expect(response, `the OpenAPI document describes status ${status}`).toBeDefined()
    const schema = response?.content?.['application/json']?.schema
    if (schema === undefined) return expect(body).toBeUndefined()
    const validate = compiled.get(schema) ?? ajv.compile(withFullReferences(schema))
    compiled.set(schema, validate)
    validate(body)
    expect(validate.errors ?? []).toEqual([])
  }
}

const withFullReferences = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'))

/** Forbids additional properties in every object schema that lists properties but does not mention additional ones. */
function withoutExtraProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtraProperties)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutExtraProperties(member)]))
  const isOpen = 'properties' in copy && 'type' in copy && !('additionalProperties' in copy)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}
