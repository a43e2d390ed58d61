import type { Route } from '../route.ts'

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/version',
    summary: 'The release of the server. Needs no signature.',
    document: 'query getVersion { version }',
    isPublic: true,
    status: 200,
  },
  {
    method: 'GET',
    path: '/application-types',
    summary: 'The types that a service can have.',
    document: 'query listApplicationTypes { items: applicationTypes { ...ApplicationType } }',
    status: 200,
  },
  {
    method: 'GET',
    path: '/limits',
    summary: 'The current limits and their usage.',
    document: 'query listLimits { login { items: limits { ...Limit } } }',
    at: 'login',
    status: 200,
  },
]
