import { GraphQLError, Lexer, Source, TokenKind } from 'graphql'
import { tooComplex } from './limits.ts'

/** Tokens up to which they are counted, to say how many there are. */
const counted = 20_000
/** Characters of a name. Validation compares one that it does not know with those that it does, character by character. */
const nameLength = 1_000

/** Checks the number of tokens ahead of the parser, which recurses and says of a long document that its syntax is wrong. */
export function assertTokens(text: string, limit: number): void {
  // A token is a character at least, and most are more.
  if (text.length <= limit) return
  const found = countTokens(text, Math.max(counted, limit + 1))
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
    // What is no token is for the parser to report, with its place.
    if (!(error instanceof GraphQLError)) throw error
  }
  return count
}
