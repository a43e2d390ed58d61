import Fastify, { type LightMyRequestResponse } from 'fastify'
import { ApiError, badInput, notFound } from '../../errors.ts'
import { registerRequestId } from '../../http/request-id.ts'
import { assembleSchema } from '../assemble.ts'
import { readChange } from '../change-made.ts'
import { createExecutor } from '../prepare-operation.ts'
import { registerGraphqlRoute } from './http-route.ts'

export const typeDefs = /* GraphQL */ `
  type Query { version: String! me: String! echo(text: String): String big(mib: Int!): String! crash: String away: String refused: String }
  type Mutation { change(to: String!): String! grow(mib: Int!): String! make(fails: String): Made! }
  type Made { name: String!  part(size: Int!): String! }
  type Subscription { ticks: Int }
`

export interface Recorded {
  changes: string[]
  results: unknown[]
  internal: unknown[]
  bytes: number[]
}

const resolversOf = ({ changes }: Recorded) => ({
  Query: {
    version: () => '1.0.0',
    me: (_: unknown, _args: unknown, { name }: { name: string }) => name,
    echo: (_: unknown, { text }: { text: string }) => text,
    big: (_: unknown, { mib }: { mib: number }) => 'ü'.repeat(mib * 512 * 1024),
    crash: () => {
      throw new Error('the password is 1234')
    },
    away: () => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect' })
    },
    refused: () => {
      throw badInput('size must be from 1 to 1000, not 0')
    },
  },
  Mutation: {
    change: (_: unknown, { to }: { to: string }) => {
      changes.push(to)
      return to
    },
    grow: (_: unknown, { mib }: { mib: number }) => {
      changes.push(`${mib} MiB`)
      return 'ü'.repeat(mib * 512 * 1024)
    },
    make: (_: unknown, { fails }: { fails?: string }) => {
      changes.push('made')
      return readChange(async () => {
        if (fails === 'slow') throw Object.assign(new Error('canceling statement'), { code: '57014' })
        if (fails === 'gone') throw notFound('thing', '7')
        return { name: 'thing' }
      })
    },
  },
  Made: {
    part: (_: unknown, { size }: { size: number }) => {
      if (size === 0) throw badInput('size must be from 1 to 1000, not 0')
      return 'part'
    },
  },
})

/**
 * Authenticates the user that the header `x-user` names. `bad` has invalid credentials, `ro` is read-only, and for
 * `away`, the database is unavailable. Returns null without the header.
 */
async function authenticate(name: unknown, body: Buffer) {
  if (name === 'bad') throw new ApiError('UNAUTHENTICATED', 'invalid signature', { reason: 'signature' })
  if (name === 'away') throw Object.assign(new Error('starting up'), { code: '57P03' })
  return typeof name === 'string' ? { name, readOnly: name === 'ro', bytes: body.length } : null
}

export async function serveRoute() {
  const recorded: Recorded = { changes: [], results: [], internal: [], bytes: [] }
  const app = Fastify()
  registerRequestId(app)
  const schema = assembleSchema([{ typeDefs, resolvers: resolversOf(recorded) }])
  registerGraphqlRoute(app, {
    executor: createExecutor({ schema, listBounds: {}, rowCosts: {}, jit: true }),
    path: '/graphql/v1',
    sdl: () => typeDefs,
    async authenticate(request, body) {
      const viewer = await authenticate(request.headers['x-user'], body)
      if (viewer) recorded.bytes.push(viewer.bytes)
      return viewer
    },
    buildContext: (_request, viewer) => ({ name: viewer?.name }),
    beforeOperation({ viewer, reply }) {
      if (viewer?.name === 'busy') throw new ApiError('RATE_LIMITED', 'too many requests', { retryAfter: 2.5 })
      reply.header('ratelimit', 'r=1')
      return (data) => recorded.results.push(data)
    },
    onInternal: (error) => recorded.internal.push(error),
  })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql/v1`

  const post = (payload: unknown, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
    app.inject({
      method: 'POST',
      url: '/graphql/v1',
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    })
  return { app, url, post, recorded }
}

export const newType = 'application/graphql-response+json'

export const codeOf = (response: LightMyRequestResponse): unknown => response.json().errors?.[0]?.extensions?.code
