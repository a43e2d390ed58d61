import { defineRoutes } from '../route.ts'

export const serverRoutes = defineRoutes({
  'GET /version': {
    summary: "Returns the server's version. Requires no signature.",
    document: 'query getVersion { version }',
    isPublic: true,
  },
  'GET /application-types': {
    summary: 'Lists the application types, except the type of bulk services.',
    document: 'query listApplicationTypes { items: applicationTypes { ...ApplicationType } }',
  },
  'GET /limits': {
    summary: 'Lists the limits that apply to the account. For some limits, also returns the current usage.',
    document: 'query listLimits { login { items: limits { ...Limit } } }',
    at: 'login',
  },
})
