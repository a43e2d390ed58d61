import { GraphQLError, Lexer, Source, TokenKind } from 'graphql'
import { tooComplex } from './limits.ts'

/**
 * Counting stops at this number of tokens, or at one more than the limit if that is higher. An error never reports a
 * higher number.
 */
const maxCounted = 20_000
/** The maximum length of a name, in characters. Validation compares an unknown name with every known name. */
const nameLength = 1_000

/**
 * Throws QUERY_TOO_COMPLEX if the document has more than `limit` tokens, which the parser would report as a syntax
 * error. In a document with more than `limit` characters, also throws for a name that is too long.
 */
export function assertTokens(text: string, limit: number): void {
  // Every token has at least one character, so a document of at most `limit` characters has at most `limit` tokens.
  if (text.length <= limit) return
  const found = countTokens(text, Math.max(maxCounted, limit + 1))
  if (found > limit) throw tooComplex('the document has too many tokens', limit, found)
}

function countTokens(text: string, stop: number): number {
  const lexer = new Lexer(new Source(text))
  let count = 0
  try {
    for (; count < stop; count += 1) {
      const { kind, start, end } = lexer.advance()
      if (kind === TokenKind.EOF) break
      if (kind === TokenKind.NAME && end - start > nameLength)
        throw tooComplex('a name in the document has too many characters', nameLength, end - start)
    }
  } catch (error) {
    // An invalid token ends the count. The parser reports the token with its position.
    if (!(error instanceof GraphQLError)) throw error
  }
  return count
}
