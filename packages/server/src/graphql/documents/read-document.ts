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

/** Excludes MaxIntrospectionDepthRule, because `limits.ts` applies its limit and also reports the number found. */
const rules = specifiedRules.filter((rule) => rule !== MaxIntrospectionDepthRule)

const maxErrors = 10

/** After `comparisons` comparisons of fields, graphql-js 16.15 aborts the validation with the message `message`. */
const aborted = { comparisons: 500_000, message: 'Validation aborted.' }

/**
 * Parses and validates a document. Returns the document without the selections that `withoutDuplicates` removes, its
 * number of tokens, and its validation errors. Throws GraphQLError for a syntax error. Throws QUERY_TOO_COMPLEX for too
 * many tokens, a name that is too long, or too many comparisons of fields.
 */
export function readDocument(
  text: string,
  { schema, maxTokens }: { schema: GraphQLSchema; maxTokens: number },
): { document: DocumentNode; tokens: number; errors: readonly GraphQLError[] } {
  assertTokens(text, maxTokens)
  const parsed = parse(text, { maxTokens })
  const tokens = parsed.tokenCount ?? maxTokens
  const document = withoutDuplicates(parsed)
  const errors = validate(schema, document, rules, { maxErrors })
  if (errors.some(({ message }) => message === aborted.message))
    throw tooComplex(
      'the document requires too many comparisons of fields with the same name',
      aborted.comparisons,
      aborted.comparisons + 1,
    )
  return { document, tokens, errors: errors.slice(0, maxErrors) }
}

/** `withoutDuplicates` checks only selection sets of at least this size, because smaller ones are quick to validate. */
const manySelections = 20

/**
 * Removes duplicates from large selection sets. They add nothing to the response, but validation compares every pair of
 * fields with the same response key.
 */
function withoutDuplicates(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet(set) {
      if (set.selections.length < manySelections) return undefined
      const selections = new Map<string, SelectionNode>()
      for (const selection of set.selections) {
        const key = print(selection)
        if (!selections.has(key)) selections.set(key, selection)
      }
      return selections.size === set.selections.length ? undefined : { ...set, selections: [...selections.values()] }
    },
  })
}
