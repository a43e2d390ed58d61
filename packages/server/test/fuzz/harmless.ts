/** Matches internal details that responses must not contain, such as code positions and database error messages. */
const internals =
  /\bat .{1,200}\.[cm]?[jt]s:\d+|node:internal|node_modules|syntax error at or near|violates|relation \\?"|invalid byte sequence|invalid input syntax|could not determine data type|out of range for type|PostgresError|QueryFailed|kysely|ECONN/i

/** Returns a description of a response's problem, such as an internal error, or undefined if there is no problem. */
export function findProblem({ status, text }: { status: number | undefined; text: string }): string | undefined {
  if (status === undefined) return 'no response'
  if (status >= 500) return `status ${status}: ${text.slice(0, 500)}`
  if (text.includes('"INTERNAL"')) return `INTERNAL: ${text.slice(0, 500)}`
  const found = internals.exec(text)?.[0]
  return found === undefined ? undefined : `shows ${JSON.stringify(found)}: ${text.slice(0, 500)}`
}
