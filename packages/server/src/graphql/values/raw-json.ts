import { randomBytes } from 'node:crypto'

/** Marks the position of raw JSON during serialization. Callers cannot guess its 128 random bits. */
const placeholder = randomBytes(16).toString('hex')

/** The raw JSON found so far by the current call of `withRawJson`; undefined if no call is running. */
let written: string[] | undefined

/**
 * JSON as the database wrote it. `withRawJson` copies this JSON into a response in a fraction of the time and memory that
 * parsing and serializing would take. All other code uses the parsed `value`.
 */
export class RawJson<Value = unknown> {
  readonly text: string
  #value: Value | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The parsed JSON. The first access parses it. */
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

const FEW = 8

/** Serializes a value as `JSON.stringify` does, but copies raw JSON unchanged. */
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
  const around = text.split(`"${placeholder}"`)
  // Concatenation copies nothing until the whole response is encoded. For many short parts, joining them is faster.
  if (raw.length <= FEW) return around.reduce((before, after, index) => before + raw[index - 1]! + after)
  const parts: string[] = []
  for (const each of around) parts.push(each, raw[parts.length / 2] ?? '')
  return parts.join('')
}
