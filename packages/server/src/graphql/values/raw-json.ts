import { randomBytes } from 'node:crypto'

/**
 * Marks the position of raw JSON during serialization. Callers cannot guess its 128 random bits, so no string in a
 * response can contain it.
 */
const placeholder = randomBytes(16).toString('hex')

/** JSON as a string, or as consecutive parts in UTF-8. */
export type Json = string | readonly Buffer[]

/** The raw JSON that the current call of `split` has found so far. Undefined if no call is running. */
let written: Json[] | undefined

/** JSON that `withRawJson` copies into a response without parsing it. All other code uses the parsed `value`. */
export class RawJson<Value = unknown> {
  readonly #json: Json
  #value: Value | undefined

  constructor(json: Json) {
    this.#json = json
  }

  get text(): string {
    return textOf(this.#json)
  }

  get value(): Value {
    this.#value ??= JSON.parse(this.text) as Value
    return this.#value
  }

  toJSON(): unknown {
    if (written === undefined) return this.value
    written.push(this.#json)
    return placeholder
  }
}

export const textOf = (json: Json): string => (typeof json === 'string' ? json : Buffer.concat(json).toString())

/** Serializes a value like `JSON.stringify`, but copies raw JSON unchanged. Returns bytes if any raw JSON is bytes. */
export function withRawJson(value: unknown): Json {
  const { around, raw } = split(value)
  return raw.some((json) => typeof json !== 'string') ? joinBytes(around, raw) : joinText(around, raw as string[])
}

function split(value: unknown): { around: string[]; raw: Json[] } {
  const raw: Json[] = []
  let text: string
  written = raw
  try {
    text = JSON.stringify(value)
  } finally {
    written = undefined
  }
  return { around: raw.length === 0 ? [text] : text.split(`"${placeholder}"`), raw }
}

const FEW = 8

function joinText(around: readonly string[], raw: readonly string[]): string {
  // V8 copies concatenated strings only when the whole response is encoded. For more than `FEW` parts, joining an array
  // is faster.
  if (raw.length <= FEW) return around.reduce((before, after, index) => before + raw[index - 1]! + after)
  const parts: string[] = []
  for (const each of around) parts.push(each, raw[parts.length / 2] ?? '')
  return parts.join('')
}

/** Returns all parts without joining them, because a joined copy would double the memory use of a large response. */
function joinBytes(around: readonly string[], raw: readonly Json[]): Buffer[] {
  const bytesOf = (json: Json): readonly Buffer[] => (typeof json === 'string' ? [Buffer.from(json)] : json)
  return around.flatMap((each, index) => [Buffer.from(each), ...bytesOf(raw[index] ?? '')])
}
