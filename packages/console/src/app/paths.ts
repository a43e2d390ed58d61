/** Where the server answers. The console lives on the same origin. */
export const api = {
  graphql: '/graphql/v1',
  stream: '/graphql/v1/stream',
  reference: '/graphql/v1/doc',
  auth: '/auth',
} as const

/** Only a path of this console: a link from elsewhere must not lead away after sign-in. */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.startsWith('//') || path.includes('\\')) return '/devices'
  return path.startsWith('/sign-in') ? '/devices' : path
}
