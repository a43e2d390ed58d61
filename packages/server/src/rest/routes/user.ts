import { defineRoutes } from '../route.ts'

export const userRoutes = defineRoutes({
  'GET /user': {
    summary: 'Returns the account of the access key that signed the request.',
    document: 'query getUser { login { ...User } }',
    at: 'login',
  },
  'GET /attribute-names': {
    summary:
      "Lists the attribute names in use on the account's devices and services. For each name, returns how many devices and how many services use it, and when a value last changed.",
    document: 'query listAttributeNames { login { items: attributeNames { ...AttributeName } } }',
    at: 'login',
  },
})
