import { randomBytes } from 'node:crypto'

/** What stands for raw JSON in a text while the rest of it is written: 128 bits that nobody can know. */
const mark = randomBytes(16).toString('hex')

/** The raw JSON that the text which is being written has so far; undefined while none is. */
let written: string[] | undefined

/**
 * JSON as the database wrote it. `withRawJson` puts it into an answer as it is, which takes a fraction of the time and memory of reading and
 * writing it; for everybody else it is what it reads as.
 */
export class RawJson<Value = unknown> {
  readonly text: string
  #value: Value | undefined

  constructor(text: string) {
    this.text = text
  }

  /** What it reads as; read at the first look. */
  get value(): Value {
    this.#value ??= JSON.parse(this.text) as Value
    return this.#value
  }

  /** What `JSON.stringify` calls. */
  toJSON(): unknown {
    if (written === undefined) return this.value
    written.push(this.text)
    return mark
  }
}

/** `JSON.stringify`, with raw JSON as it is. */
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
  for (const around of text.split(`"${mark}"`)) parts.push(around, raw[parts.length / 2] ?? '')
  return parts.join('')
}
