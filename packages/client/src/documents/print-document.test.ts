import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { printDocument } from './print-document.ts'

const documents = [
  '{ a }',
  'query Q($a: [Int!]! = [1, 2], $b: In = {c: "x\\n\\"y\\"", d: null}, $e: E = VALUE @dir) @live { x: a(b: $a, c: 1.5e3, d: true) @skip(if: $b) { e } }',
  'mutation M { a(text: """ block "quoted" \\""" é \u2028 """) }',
  'subscription { a { ...F ... on T @include(if: true) { b } ... { c } } } fragment F on T @d { d(x: []) }',
]

const meaningOf = (text: string): unknown =>
  JSON.parse(JSON.stringify(parse(text, { noLocation: true }), (name, value) => (name === 'block' ? undefined : value)))

it.each(documents)('preserves the meaning of a parsed document: %s', (text) => {
  expect(meaningOf(printDocument(parse(text)))).toEqual(meaningOf(text))
})

it('rejects documents that are not executable', () => {
  expect(() => printDocument(parse('type A { b: Int }'))).toThrow(TypeError)
})
