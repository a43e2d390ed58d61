export const api = {
  graphql: '/graphql/v1',
  stream: '/graphql/v1/stream',
  reference: '/graphql/v1/doc',
  auth: '/auth',
} as const

/**
 * Returns the path if it is a path of this console other than a sign-in page, and the path of the overview otherwise,
 * so that a malicious sign-in link cannot redirect to another site.
 */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.startsWith('//') || path.includes('\\')) return '/overview'
  return path.startsWith('/sign-in') ? '/overview' : path
}
