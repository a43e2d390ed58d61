import { randomBytes } from 'node:crypto'

/** A placeholder for raw JSON in a string that is being written: 128 random bits, which no caller can guess. */
const placeholder = randomBytes(16).toString('hex')

/** The raw JSON found so far in the current `withRawJson`; undefined outside of it. */
let written: string[] | undefined

/**
 * JSON as the database wrote it. `withRawJson` copies it into a response, which takes a fraction of the time and memory of
 * parsing and serializing it. All other code uses the parsed `value`.
 */
export class RawJson<Value = unknown> {
  readonly text: string
  #value: Value | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The parsed JSON. It is parsed at the first access. */
  get value(): Value {
    this.#value ??= JSON.parse(this.text) as Value
    return this.#value
  }

  /** Called by `JSON.stringify`. */
  toJSON(): unknown {
    if (written === undefined) return this.value
    written.push(this.text)
    return placeholder
  }
}

/** `JSON.stringify`, with raw JSON copied unchanged. */
export function withRawJson(value: unknown): string {
  const raw: string[] = []
  let text: string
  written = raw
  try {
    text = JSON.stringify(value)
  } finally {
    written = undefined
  }
  if (raw.length === 0) return text
  const parts: string[] = []
  for (const around of text.split(`"${placeholder}"`)) parts.push(around, raw[parts.length / 2] ?? '')
  return parts.join('')
}
