/** What of the inside must not come out: places in the code, words of the database. No input of these tests has any. */
const inside =
  /\bat .{1,200}\.[cm]?[jt]s:\d+|node:internal|node_modules|syntax error at or near|violates|relation \\?"|invalid byte sequence|invalid input syntax|could not determine data type|out of range for type|PostgresError|QueryFailed|kysely|ECONN/i

/** What is wrong with an answer to bad input; undefined where nothing is. */
export function harmOf({ status, text }: { status: number | undefined; text: string }): string | undefined {
  if (status === undefined) return 'no answer'
  if (status >= 500) return `status ${status}: ${text.slice(0, 500)}`
  if (text.includes('"INTERNAL"')) return `INTERNAL: ${text.slice(0, 500)}`
  const found = inside.exec(text)?.[0]
  return found === undefined ? undefined : `shows ${JSON.stringify(found)}: ${text.slice(0, 500)}`
}
