import type { Route } from '../route.ts'

export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/user',
    summary: 'Returns the user that owns the signing access key.',
    document: 'query getUser { login { ...User } }',
    at: 'login',
    status: 200,
  },
  {
    method: 'GET',
    path: '/attribute-names',
    summary: "Lists the attribute names in use on this user's devices and services.",
    document: 'query listAttributeNames { login { items: attributeNames { ...AttributeName } } }',
    at: 'login',
    status: 200,
  },
]
