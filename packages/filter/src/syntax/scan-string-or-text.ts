import type { Span } from '../positions.ts'
import type { Edit, Fault } from '../problems.ts'
import { type Parts, quote } from './quote.ts'

export interface Scanned extends Span {
  readonly parts: Parts
  /** Whether the word contains a backslash, in which case it is not a keyword. */
  readonly isEscaped: boolean
  readonly fault?: Fault
}

const endOfRun = /[^\s)]*/y

/** Returns the index of the first whitespace or closing parenthesis at or after `from`, or the length of the text. */
export function runEnd(text: string, from: number): number {
  endOfRun.lastIndex = from
  endOfRun.test(text)
  return endOfRun.lastIndex
}

/** Scans a string in quotes. `previous` is the word directly before the string, if any. */
export function scanString(text: string, from: number, previous: Span | undefined): Scanned {
  const mark = text[from]!
  const parts = new PartsBuilder()
  const doubled: Edit[] = []
  let at = from + 1
  for (; at < text.length && text[at] !== mark; at++) {
    const character = text[at]!
    if (character === '*') parts.wildcard()
    else if (character !== '\\') parts.add(character)
    else {
      const next = text[at + 1]
      if (next === '"' || next === "'" || next === '\\' || next === '*') {
        parts.add(next)
        at++
      } else {
        parts.add(character)
        doubled.push({ from: at, to: at + 1, text: '\\\\' })
      }
    }
  }
  if (at < text.length) return scanned({ from, to: at + 1 }, parts, wrongEscapes(doubled))
  return scanned({ from, to: at }, parts, unterminated(text, { from, to: at }, { mark, previous, doubled }))
}

function wrongEscapes(edits: readonly Edit[]): Fault | undefined {
  const [first] = edits
  if (first === undefined) return undefined
  const message = 'A backslash is valid only in \\", \\\', \\\\, and \\*. For the character \\, write \\\\'
  return { from: first.from, to: first.to, message, edits }
}

function unterminated(
  text: string,
  { from, to }: Span,
  { mark, previous, doubled }: { mark: string; previous: Span | undefined; doubled: readonly Edit[] },
): Fault {
  const message = `The string has no closing ${mark}.`
  if (previous === undefined) return { from, to, message, edits: [...doubled, { from: to, to, text: mark }] }
  // Treat the quote as an apostrophe, as in "it's".
  const end = runEnd(text, from)
  const word = quote([text.slice(previous.from, end)])
  const edits = [{ from: previous.from, to: end, text: word }]
  return { from, to, message: `${message} To use ${mark} in a word, quote the word: ${word}`, edits }
}

// To the left of a comparator, a word ends at a dot, which separates levels, or at a colon, which is a comparator.
const leftRun = /[^\s(),"'=<>!:.\\*]+/y
const rightRun = /[^\s(),"'=<>!\\*]+/y

export function scanText(text: string, from: number, isRight: boolean): Scanned | undefined {
  const run = isRight ? rightRun : leftRun
  const parts = new PartsBuilder()
  let hasEscape = false
  let wrong: Span | undefined
  let at = from
  for (;;) {
    run.lastIndex = at
    const found = run.exec(text)?.[0] ?? ''
    parts.add(found)
    at += found.length
    if (text[at] === '*') parts.wildcard()
    else if (text[at] === '\\') {
      hasEscape = true
      if (text[at + 1] === '*') at++
      else wrong ??= { from: at, to: at + 1 }
      parts.add(text[at]!)
    } else break
    at++
  }
  if (at === from) return undefined
  const span = { from, to: at }
  if (wrong === undefined) return scanned(span, parts, undefined, hasEscape)
  const message =
    'Outside quotes, a backslash is valid only in \\*. For the character \\, quote the word and write \\\\'
  const edits = [{ ...span, text: quote(parts.parts()) }]
  return scanned(span, parts, { ...wrong, message, edits }, hasEscape)
}

const scanned = (span: Span, parts: PartsBuilder, wrong: Fault | undefined, isEscaped = false): Scanned => ({
  ...span,
  parts: parts.parts(),
  isEscaped,
  ...(wrong === undefined ? {} : { fault: wrong }),
})

class PartsBuilder {
  readonly #done: string[] = []
  #current = ''

  add(text: string): void {
    this.#current += text
  }

  wildcard(): void {
    this.#done.push(this.#current)
    this.#current = ''
  }

  parts(): Parts {
    return [...this.#done, this.#current]
  }
}
