/** What is read of a file or of a command's output. */
export const MOST_BYTES = 16 * 1024
/** What is reported of it. */
const MOST_CHARACTERS = 1_000

/** The first line that has something in it, without what could not be stored. */
export function firstLine(output: Buffer): string {
  const lines = output.toString('utf8').split(/\r\n?|\n/)
  const line = lines.map((each) => each.trim()).find((each) => each !== '') ?? ''
  return Array.from(line.replaceAll('\0', '')).slice(0, MOST_CHARACTERS).join('')
}
