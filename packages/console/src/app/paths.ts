export const api = {
  graphql: '/graphql/v1',
  stream: '/graphql/v1/stream',
  reference: '/graphql/v1/doc',
  auth: '/auth',
} as const

const HERE = 'http://here.invalid'

/**
 * Returns the path if it is on this site and is not a sign-in page. Otherwise, returns the path of the overview. A
 * malicious sign-in link therefore cannot redirect to another site.
 */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.startsWith('/sign-in')) return '/overview'
  // Parse the path, because browsers treat `\` as `/`, and ignore tabs and line breaks (URL Standard, section 4.4). The
  // path `/\example.com` therefore leads to another site.
  return URL.canParse(path, HERE) && new URL(path, HERE).origin === HERE ? path : '/overview'
}
