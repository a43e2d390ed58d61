/**
 * Returns a PostgreSQL array literal. The strings, such as IDs, must not be empty or the word NULL, and must not
 * contain commas, quotes, braces, backslashes, or whitespace. Escaping the strings would take four times as long.
 */
export const plainArray = (strings: readonly string[]): string => `{${strings.join(',')}}`
