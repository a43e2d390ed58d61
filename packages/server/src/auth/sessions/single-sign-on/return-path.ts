const HERE = 'http://here.invalid'

/**
 * Returns the normalized path if it leads to a page on this server and has at most 2,000 characters, otherwise `/`.
 * Rejects `/\` like `//`, because browsers treat `\` as `/` (URL Standard §4.4).
 */
export function safePath(path: unknown): string {
  if (typeof path !== 'string' || path.length > 2_000 || !/^\/(?![/\\])/.test(path)) return '/'
  if (!URL.canParse(path, HERE)) return '/'
  const url = new URL(path, HERE)
  if (url.origin !== HERE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search + url.hash
}
