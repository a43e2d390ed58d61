import { open } from 'node:fs/promises'
export const MAX_BYTES = 16 * 1024
const MAX_CHARACTERS = 1_000

/**
 * Returns the first nonempty line, trimmed and shortened to 1,000 characters, without NUL characters, which PostgreSQL
 * cannot store.
 */
export function firstLine(output: Buffer): string {
  const lines = output.toString('utf8').split(/\r\n?|\n/)
  const line = lines.map((each) => each.trim()).find((each) => each !== '') ?? ''
  return Array.from(line.replaceAll('\0', '')).slice(0, MAX_CHARACTERS).join('')
}

export async function firstLineOf(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, null)
    return firstLine(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}
