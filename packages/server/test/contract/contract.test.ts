import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Change, ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core'
import { type GraphQLSchema, buildSchema as parseSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { notYetServed } from './not-yet-served.ts'

const root = new URL('../../../../', import.meta.url)

/** These changes also break clients, because a new default changes the meaning of requests that omit the value. */
const defaults: readonly string[] = [ChangeType.FieldArgumentDefaultChanged, ChangeType.InputFieldDefaultValueChanged]

const isBreaking = ({ criticality, type }: Change): boolean =>
  criticality.level === CriticalityLevel.Breaking || defaults.includes(type)

/** Returns the path of each change that breaks clients of `before`, or the change's message if it has no path. */
async function breakingChanges(before: GraphQLSchema, after: GraphQLSchema): Promise<string[]> {
  const changes = await diff(before, after)
  return changes
    .filter(isBreaking)
    .map(({ path, message }) => path ?? message)
    .sort()
}

/** Returns every committed version of schema.graphql, newest first, or an empty list outside a git checkout. */
function committedSchemas(): { commit: string; text: string }[] {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  try {
    const commits = git('log', '--format=%H', '--', 'schema.graphql').split('\n').filter(Boolean)
    return commits.map((commit) => ({ commit, text: git('show', `${commit}:schema.graphql`) }))
  } catch {
    return []
  }
}

const current = buildSchema()

describe('the schema of API v1', () => {
  test('contains every path in the contract except the paths that the server does not serve yet', async () => {
    const contract = parseSchema(readFileSync(new URL('./contract.graphql', import.meta.url), 'utf8'))
    expect(await breakingChanges(contract, current)).toEqual([...notYetServed].sort())
  })

  test('does not break clients of the committed schema', async () => {
    const committed = parseSchema(readFileSync(new URL('schema.graphql', root), 'utf8'))
    expect(await breakingChanges(committed, current)).toEqual([])
  })

  test('does not break clients of any earlier committed schema', async () => {
    for (const { commit, text } of committedSchemas()) {
      expect(await breakingChanges(parseSchema(text), current), `against ${commit}`).toEqual([])
    }
  })

  test('is checked for removed fields, removed arguments, and changed types', async () => {
    const before = parseSchema('type Query { a(x: Int): String!  b: Int }')
    const after = parseSchema('type Query { a: String }')
    expect(await breakingChanges(before, after)).toEqual(['Query.a', 'Query.a.x', 'Query.b'])
  })

  test('is checked for changed defaults of arguments and input fields', async () => {
    const schema = (size: number) =>
      parseSchema(`type Query { a(size: Int = ${size}, in: In): Int } input In { size: Int = ${size} }`)
    expect(await breakingChanges(schema(1), schema(2))).toEqual(['In.size', 'Query.a.size'])
  })
})
