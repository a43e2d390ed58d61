/** How much of a file or of a command's output is read. */
export const MAX_BYTES = 16 * 1024
/** How much of it is reported. */
const MAX_CHARACTERS = 1_000

/** The first nonempty line, without NUL characters, which PostgreSQL cannot store. */
export function firstLine(output: Buffer): string {
  const lines = output.toString('utf8').split(/\r\n?|\n/)
  const line = lines.map((each) => each.trim()).find((each) => each !== '') ?? ''
  return Array.from(line.replaceAll('\0', '')).slice(0, MAX_CHARACTERS).join('')
}
