import { buildSchema, graphql } from 'graphql'
import { describe, expect, test } from 'vitest'
import { lookAhead } from './selection.ts'

const schema = buildSchema(`
  type Query { list: List }
  type List { items: [Item!]! other: Item }
  type Item { id: ID wanted: String below: Item }
`)

const selectsWanted = lookAhead(['items'], new Set(['wanted']))

async function isWantedSelected(document: string): Promise<boolean> {
  let isSelected: boolean | undefined
  const rootValue = {
    list: (_args: unknown, _context: unknown, info: Parameters<typeof selectsWanted>[0]) => {
      isSelected = selectsWanted(info)
      return { items: [], other: null }
    },
  }
  const { errors } = await graphql({ schema, source: document, rootValue })
  if (errors !== undefined) throw errors[0]
  return isSelected!
}

describe('lookAhead with a selected field', () => {
  test.each([
    '{ list { items { wanted } } }',
    '{ list { items { id other: wanted } } }',
    '{ list { entries: items { wanted } } }',
    '{ list { items { id } ...more } } fragment more on List { items { ... on Item { wanted } } }',
    '{ list { items { id } } list { items { wanted } } }',
    '{ list { items { ...a } } } fragment a on Item { ...b } fragment b on Item { wanted }',
  ])('finds the field in %s', async (document) => {
    expect(await isWantedSelected(document)).toBe(true)
  })
})

describe('lookAhead without the field', () => {
  test.each([
    '{ list { items { id } other { wanted } } }',
    '{ list { items { id below { wanted } } } }',
    '{ list { items { wanted: id } } }',
    '{ list { other { ...a } items { id } } } fragment a on Item { wanted }',
  ])('does not find the field in %s', async (document) => {
    expect(await isWantedSelected(document)).toBe(false)
  })
})
