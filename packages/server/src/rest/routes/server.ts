import type { Route } from '../route.ts'

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/version',
    summary: 'Release of the server. Needs no signature.',
    document: 'query getVersion { version }',
    isPublic: true,
    status: 200,
  },
  {
    method: 'GET',
    path: '/application-types',
    summary: 'Types that a service can be given.',
    document: 'query listApplicationTypes { items: applicationTypes { ...ApplicationType } }',
    status: 200,
  },
  {
    method: 'GET',
    path: '/limits',
    summary: 'The limits in force and how much of each is used.',
    document: 'query listLimits { login { items: limits { ...Limit } } }',
    at: 'login',
    status: 200,
  },
]
