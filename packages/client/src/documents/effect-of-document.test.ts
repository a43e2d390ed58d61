import { describe, expect, it } from 'vitest'
import { effectOf } from './effect-of-document.ts'

describe('effectOf', () => {
  it.each([
    ['{ version }', 'none'],
    ['query mutation { version }', 'none'],
    ['query Q($a: Object = {mutation: "}"}) @d(if: true) { login { mutation: email } }', 'none'],
    ['# mutation { x }\n{ version(text: """ } mutation { """) }', 'none'],
    ['fragment mutation on User { email } query { login { ...mutation } }', 'none'],
    ['mutation { setAttribute(serviceId: "a", name: "deleteDevice", value: "{") }', 'idempotent'],
    ['mutation M($i: [AttributesInput!]!) { setAttributesMany(items: $i) { code message } }', 'idempotent'],
    ['mutation { a: setAttribute(x: 1) @include(if: true) b : updateDevice(x: {y: 1}) { id } }', 'idempotent'],
    ['mutation { registerDevice(name: "a") { secret } }', 'creates'],
    ['mutation { a: addService(deviceId: "a", name: "b") { id } }', 'creates'],
    ['mutation { createInvitation(roleId: "viewer") { link } }', 'creates'],
    ['mutation { createRole(name: "a") { id } }', 'creates'],
    ['mutation { rotateAccessKey(key: "a", overlap: 60) { secret } }', 'creates'],
    ['mutation { runBulk(target: { ids: ["a"] }, operations: [], expected: 1) { id } }', 'once'],
    ['mutation { a: registerDevice(name: "a") { secret } b: registerDevice(name: "b") { secret } }', 'once'],
    ['mutation { createWebhook(url: "a") { id } setAttribute(x: 1) }', 'once'],
    ['mutation { setAttribute(x: 1) deleteDevice(deviceId: "a") }', 'once'],
    ['mutation { setAttribute: deleteDevice(deviceId: "a") }', 'once'],
    ['mutation { ...changes } fragment changes on Mutation { deleteDevice(deviceId: "a") }', 'once'],
    ['mutation { ... on Mutation { setAttribute(x: 1) } }', 'once'],
    ['mutation { updateAccessKey(key: "a", enabled: true) { key } }', 'once'],
    ['subscription { events { id } }', 'once'],
    ['', 'once'],
    ['}{ version }', 'once'],
  ])('classifies %j as %s', (document, effect) => {
    expect(effectOf(document)).toBe(effect)
  })

  const several = 'query A { version } mutation B { deleteDevice(deviceId: "a") } mutation C { setAttribute(x: 1) }'

  it.each([
    ['A', 'none'],
    ['B', 'once'],
    ['C', 'idempotent'],
    ['D', 'once'],
    [undefined, 'once'],
  ])('classifies the operation named %s as %s', (name, effect) => {
    expect(effectOf(several, name)).toBe(effect)
  })
})
