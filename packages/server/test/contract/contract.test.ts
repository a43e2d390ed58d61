import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Change, ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core'
import { type GraphQLSchema, buildSchema as schemaOfText } from 'graphql'
import { describe, expect, test } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { notYetServed } from './not-yet-served.ts'

const root = new URL('../../../../', import.meta.url)

/** What a client leaves away means something else once its default is another. */
const defaults: readonly string[] = [ChangeType.FieldArgumentDefaultChanged, ChangeType.InputFieldDefaultValueChanged]

const isBreak = ({ criticality, type }: Change): boolean =>
  criticality.level === CriticalityLevel.Breaking || defaults.includes(type)

/** Paths of what a client of `before` could miss in `after`. */
async function breaks(before: GraphQLSchema, after: GraphQLSchema): Promise<string[]> {
  const changes = await diff(before, after)
  return changes
    .filter(isBreak)
    .map(({ path, message }) => path ?? message)
    .sort()
}

/** Every version of schema.graphql that was ever committed, newest first; none outside a git checkout. */
function committedSchemas(): { commit: string; text: string }[] {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  try {
    const commits = git('log', '--format=%H', '--', 'schema.graphql').split('\n').filter(Boolean)
    return commits.map((commit) => ({ commit, text: git('show', `${commit}:schema.graphql`) }))
  } catch {
    return []
  }
}

describe('API v1 only grows', () => {
  test('nothing of the contract is missing, save what is named as not served yet', async () => {
    const contract = schemaOfText(readFileSync(new URL('./contract.graphql', import.meta.url), 'utf8'))
    expect(await breaks(contract, buildSchema())).toEqual([...notYetServed].sort())
  })

  test('nothing breaks a client of the committed schema', async () => {
    const committed = schemaOfText(readFileSync(new URL('schema.graphql', root), 'utf8'))
    expect(await breaks(committed, buildSchema())).toEqual([])
  })

  test('nothing breaks a client of any earlier committed schema', async () => {
    for (const { commit, text } of committedSchemas()) {
      expect(await breaks(schemaOfText(text), buildSchema()), `against ${commit}`).toEqual([])
    }
  })

  test('the check sees a field dropped, an argument dropped and a type changed', async () => {
    const before = schemaOfText('type Query { a(x: Int): String!  b: Int }')
    const after = schemaOfText('type Query { a: String }')
    expect(await breaks(before, after)).toEqual(['Query.a', 'Query.a.x', 'Query.b'])
  })

  test('the check sees another default of an argument and of a field of an input', async () => {
    const schema = (size: number) =>
      schemaOfText(`type Query { a(size: Int = ${size}, in: In): Int } input In { size: Int = ${size} }`)
    expect(await breaks(schema(1), schema(2))).toEqual(['In.size', 'Query.a.size'])
  })
})
