export const api = {
  graphql: '/graphql/v1',
  stream: '/graphql/v1/stream',
  reference: '/graphql/v1/doc',
  auth: '/auth',
} as const

/**
 * Returns the path if it is on this site and is not a sign-in page. Otherwise, returns the path of the overview. A
 * malicious sign-in link therefore cannot redirect to another site.
 */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.startsWith('//') || path.includes('\\')) return '/overview'
  return path.startsWith('/sign-in') ? '/overview' : path
}
