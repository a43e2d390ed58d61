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

/** What a backup consists of, in this order: the header, then each table with its rows in pieces, then the end. */
export type Part =
  | { header: Header }
  | TableLine
  /** Whole rows, as COPY takes them. */
  | { rows: Buffer }
  | { endOf: string }
  | { end: EndLine }

export interface ReadBackupOptions {
  file: string
  signal?: AbortSignal | undefined
  /** Bytes of the file that were read. */
  onProgress?: ((done: number) => void) | undefined
}

/** Reads a file piece by piece. Throws a BackupError where it is cut off or altered: at the end at the latest. */
export async function* readBackup(options: ReadBackupOptions): AsyncGenerator<Part> {
  const hash = createHash('sha256')
  let phase: 'header' | 'sections' | 'ended' = 'header'
  let table: string | undefined
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of unpacked(options)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length > 0) {
      if (phase === 'ended') throw damaged('something follows its end')
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
          if (section.sha256 !== hash.digest('hex')) throw damaged('its checksum is another')
          phase = 'ended'
          yield { end: section }
        }
      }
    }
  }
  if (phase !== 'ended') throw damaged('it is cut off')
}

const NEWLINE = 10
const behindRow = Buffer.concat([Buffer.of(NEWLINE), END_OF_ROWS])

const lineLength = (bytes: Buffer): number => bytes.indexOf(NEWLINE) + 1

/** The whole rows at the beginning, or the line that ends them when it comes next; 0 while there is neither. */
function rowsLength(bytes: Buffer): number {
  if (bytes.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) return END_OF_ROWS.length
  const end = bytes.indexOf(behindRow)
  return end === -1 ? bytes.lastIndexOf(NEWLINE) + 1 : end + 1
}

/** The bytes of the file as they were before they were packed. */
async function* unpacked({ file, signal, onProgress = () => {} }: ReadBackupOptions): AsyncGenerator<Buffer> {
  const source = createReadStream(file, signal && { signal })
  // A fault of the first ends the second, and is told there.
  const plain = pipeline(source, createZstdDecompress(), () => {})
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      yield chunk
      onProgress(source.bytesRead)
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw /^(ERR_)?_*ZSTD|^Z_/i.test(code) ? damaged('it cannot be unpacked', error) : error
  } finally {
    plain.destroy()
  }
}
