import type { Route } from '../route.ts'

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/version',
    summary: "Returns the server's version. Requires no signature.",
    document: 'query getVersion { version }',
    isPublic: true,
  },
  {
    method: 'GET',
    path: '/application-types',
    summary: 'Lists the application types that a service can have.',
    document: 'query listApplicationTypes { items: applicationTypes { ...ApplicationType } }',
  },
  {
    method: 'GET',
    path: '/limits',
    summary: 'Lists the limits that apply to the account. For some limits, also returns the current usage.',
    document: 'query listLimits { login { items: limits { ...Limit } } }',
    at: 'login',
  },
]
