/**
 * Use this only for strings from the server, such as IDs, that contain no commas, quotes, braces, backslashes, or
 * spaces. For other strings, pass the list itself: `pg` then escapes each of them, which takes four times as long.
 */
export const plainArray = (strings: readonly string[]): string => `{${strings.join(',')}}`
