import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  MaxIntrospectionDepthRule,
  parse,
  print,
  type SelectionNode,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { tooComplex } from './limits.ts'
import { assertTokens } from './tokens.ts'

/** `limits.ts` bounds introspection, and says by how much it is over. */
const rules = specifiedRules.filter((rule) => rule !== MaxIntrospectionDepthRule)

/** Errors of validation that an answer lists. */
const shownErrors = 10

/** Comparisons after which graphql-js 16.15 gives up looking for fields that conflict, and its word for it. */
const givenUp = { comparisons: 500_000, message: 'Validation aborted.' }

/** Parses and validates a document. Throws for what is no GraphQL (GraphQLError) and for what is too much (QUERY_TOO_COMPLEX). */
export function readDocument(
  text: string,
  { schema, maxTokens }: { schema: GraphQLSchema; maxTokens: number },
): { document: DocumentNode; tokens: number; errors: readonly GraphQLError[] } {
  assertTokens(text, maxTokens)
  const parsed = parse(text, { maxTokens })
  const tokens = parsed.tokenCount ?? maxTokens
  const document = withoutRepeats(parsed)
  const errors = validate(schema, document, rules, { maxErrors: shownErrors })
  if (errors.some(({ message }) => message === givenUp.message))
    throw tooComplex(
      'too many fields of one name to compare with each other',
      givenUp.comparisons,
      givenUp.comparisons + 1,
    )
  return { document, tokens, errors: errors.slice(0, shownErrors) }
}

/** Selections of one place from which on it pays to look for repeats. */
const manySelections = 20

/** What is selected again in the same place adds nothing, yet validation compares each with each. */
function withoutRepeats(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet(set) {
      if (set.selections.length < manySelections) return undefined
      const selections = new Map<string, SelectionNode>()
      for (const selection of set.selections) {
        const key = print(selection)
        if (!selections.has(key)) selections.set(key, selection)
      }
      return selections.size === set.selections.length
        ? undefined
        : { ...set, selections: Array.from(selections.values()) }
    },
  })
}
