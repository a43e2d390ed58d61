import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import {
  damaged,
  END_OF_ROWS,
  type EndLine,
  type Header,
  parseHeader,
  parseSectionLine,
  type TableLine,
} from './format.ts'

/** The parts of a backup come in this order: the header, then each table with its rows in chunks, then the end. */
export type Part =
  | { header: Header }
  | TableLine
  /** Complete rows in the text format of COPY. */
  | { rows: Buffer }
  | { endOf: string }
  | { end: EndLine }

export interface ReadBackupOptions {
  file: string
  signal?: AbortSignal | undefined
  /** Called with the number of bytes read from the file so far. */
  onProgress?: ((done: number) => void) | undefined
}

/**
 * Throws a BackupError if the file is not a backup that this release can read. If the file is truncated or altered, the
 * function may throw only after it has read the entire file.
 */
export async function* readBackup(options: ReadBackupOptions): AsyncGenerator<Part> {
  const hash = createHash('sha256')
  let phase: 'header' | 'sections' | 'ended' = 'header'
  let table: string | undefined
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of decompressed(options)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length > 0) {
      if (phase === 'ended') throw damaged('it contains data after its last line')
      const length = table === undefined ? lineLength(rest) : rowsLength(rest)
      if (length === 0) break
      const piece = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (table !== undefined) {
        hash.update(piece)
        if (!piece.equals(END_OF_ROWS)) yield { rows: piece }
        else {
          yield { endOf: table }
          table = undefined
        }
      } else if (phase === 'header') {
        hash.update(piece)
        phase = 'sections'
        yield { header: parseHeader(piece) }
      } else {
        const section = parseSectionLine(piece)
        if ('table' in section) {
          hash.update(piece)
          table = section.table
          yield section
        } else {
          if (section.sha256 !== hash.digest('hex')) throw damaged('its checksum does not match')
          phase = 'ended'
          yield { end: section }
        }
      }
    }
  }
  if (phase !== 'ended') throw damaged('it is truncated')
}

const NEWLINE = 10
const afterRow = Buffer.concat([Buffer.of(NEWLINE), END_OF_ROWS])

const lineLength = (bytes: Buffer): number => bytes.indexOf(NEWLINE) + 1

/**
 * Returns the length of the complete rows at the start of `bytes`. If the first line ends the rows, returns the length
 * of this line. If the first line is incomplete, returns 0.
 */
function rowsLength(bytes: Buffer): number {
  if (bytes.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) return END_OF_ROWS.length
  const end = bytes.indexOf(afterRow)
  return end === -1 ? bytes.lastIndexOf(NEWLINE) + 1 : end + 1
}

async function* decompressed({ file, signal, onProgress = () => {} }: ReadBackupOptions): AsyncGenerator<Buffer> {
  const source = createReadStream(file, signal && { signal })
  // If the source fails, the pipeline destroys the decompressor. The decompressor's iterator then throws the error.
  const plain = pipeline(source, createZstdDecompress(), () => {})
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      yield chunk
      onProgress(source.bytesRead)
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw /^(ERR_)?_*ZSTD|^Z_/i.test(code) ? damaged('it cannot be decompressed', error) : error
  } finally {
    plain.destroy()
  }
}
