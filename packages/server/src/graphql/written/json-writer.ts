import { DATE_LENGTH, formatStoredTime, fractionOf, ZONE } from '../values/format-timestamps.ts'
import type { Json } from '../values/raw-json.ts'

/** The usual size of a chunk, in bytes. Most pages fit into one chunk, which the next page reuses. */
const CHUNK_BYTES = 256 * 1024
/** Below this number of bytes, creating a string takes less time than allocating a buffer outside the heap. */
const SHORT_BYTES = 64 * 1024
/** The maximum number of bytes that a UTF-16 code unit takes in UTF-8. */
const BYTES_PER_UNIT = 3

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_T = 0x54
const FIRST_PRINTABLE = 0x20
const LAST_PRINTABLE = 0x7e

/**
 * Writes JSON as UTF-8 bytes, because concatenating strings allocates an object for each part, and encoding the result
 * copies it.
 */
export class JsonWriter {
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #length = 0
  #full: Buffer[] = []

  clear(): void {
    this.#length = 0
    this.#full = []
  }

  ascii(text: string): void {
    this.#reserve(text.length)
    const chunk = this.#chunk
    let at = this.#length
    for (let index = 0; index < text.length; index++) chunk[at++] = text.charCodeAt(index)
    this.#length = at
  }

  json(text: string): void {
    const maxBytes = text.length * BYTES_PER_UNIT
    this.#reserve(maxBytes <= CHUNK_BYTES ? maxBytes : Buffer.byteLength(text))
    this.#length += this.#chunk.write(text, this.#length)
  }

  /** Removes the closing brace of the object that was just written, so that more members can follow. */
  reopen(): void {
    this.#length--
  }

  string(text: string | null): void {
    if (text === null) return void this.ascii('null')
    this.#reserve(text.length + 2)
    const chunk = this.#chunk
    let at = this.#length
    chunk[at++] = QUOTE
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const isPlain = code >= FIRST_PRINTABLE && code <= LAST_PRINTABLE && code !== QUOTE && code !== BACKSLASH
      // This call discards the bytes already written for this string, because the length has not changed yet.
      if (!isPlain) return void this.json(JSON.stringify(text))
      chunk[at++] = code
    }
    chunk[at++] = QUOTE
    this.#length = at
  }

  /** Writes a `StoredTime` or null in the API's format. */
  time(text: string | null): void {
    if (text === null) return void this.ascii('null')
    const fraction = fractionOf(text)
    if (fraction === undefined) return void this.string(formatStoredTime(text))
    const end = text.length - ZONE.length
    this.#reserve(end + fraction.length + 2)
    const chunk = this.#chunk
    let at = this.#length
    chunk[at++] = QUOTE
    for (let index = 0; index < end; index++) chunk[at++] = index === DATE_LENGTH ? LETTER_T : text.charCodeAt(index)
    for (let index = 0; index < fraction.length; index++) chunk[at++] = fraction.charCodeAt(index)
    chunk[at++] = QUOTE
    this.#length = at
  }

  /** Returns the JSON written so far, and clears the writer. */
  take(): Json {
    const json = this.#full.length === 0 && this.#length < SHORT_BYTES ? this.#takeString() : this.#takeParts()
    this.clear()
    return json
  }

  #takeString(): string {
    return this.#chunk.toString('utf8', 0, this.#length)
  }

  #takeParts(): Buffer[] {
    const last = this.#chunk.subarray(0, this.#length)
    // Copy the content of a chunk of the usual size, and reuse the chunk, because most pages fill only a part of it.
    if (this.#chunk.length === CHUNK_BYTES) return [...this.#full, Buffer.from(last)]
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    return [...this.#full, last]
  }

  #reserve(bytes: number): void {
    if (this.#chunk.length - this.#length >= bytes) return
    this.#full.push(this.#chunk.subarray(0, this.#length))
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes))
    this.#length = 0
  }
}
