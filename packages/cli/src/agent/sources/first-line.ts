/** Maximum number of bytes that the agent reads from a file or from a command's output. */
export const MAX_BYTES = 16 * 1024
/** Maximum number of characters that the agent reports. */
const MAX_CHARACTERS = 1_000

/** Returns the first nonempty line, without NUL characters, which PostgreSQL cannot store. */
export function firstLine(output: Buffer): string {
  const lines = output.toString('utf8').split(/\r\n?|\n/)
  const line = lines.map((each) => each.trim()).find((each) => each !== '') ?? ''
  return Array.from(line.replaceAll('\0', '')).slice(0, MAX_CHARACTERS).join('')
}
