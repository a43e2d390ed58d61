import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../test/harness/app.ts'
import { registerErrorHandler } from './error-responses.ts'

const app = sharedTestApp()

const errorOf = (body: string) => JSON.parse(body).errors[0]

describe('a request that no route handles', () => {
  it('fails with BAD_USER_INPUT if the server cannot decode its path', async () => {
    const response = await fetch(`${app.url}/%zz`)
    expect(response.status).toBe(400)
    expect(response.headers.get('x-request-id')).toMatch(/./)
    expect(errorOf(await response.text()).extensions.code).toBe('BAD_USER_INPUT')
  })

  it("receives a response without the request's URL, which may contain a secret", async () => {
    const response = await fetch(`${app.url}/%zz?secret=hunter2`)
    expect(await response.text()).not.toContain('hunter2')
  })

  it('fails with BAD_USER_INPUT if its body is not JSON', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${app.url}/nowhere`, { method: 'POST', headers, body: '{' })
    expect(response.status).toBe(400)
    expect(errorOf(await response.text()).extensions.code).toBe('BAD_USER_INPUT')
  })

  it('fails with LIMIT_EXCEEDED if its request line and headers exceed the limit', async () => {
    const response = await fetch(`${app.url}/graphql/v1?query=${'a'.repeat(17_000)}`)
    expect(response.status).toBe(431)
    expect(errorOf(await response.text())).toMatchObject({
      message: expect.stringContaining('POST'),
      extensions: { code: 'LIMIT_EXCEEDED' },
    })
  })

  it.each(['not HTTP', 'POST /graphql/v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked'])(
    'receives 400 if it is not valid HTTP, and the server closes the connection: %j',
    async (request) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      socket.write(`${request}\r\n\r\n`)
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
      const [first, ...headers] = head.split('\r\n')
      expect(first).toBe('HTTP/1.1 400 Bad Request')
      expect(headers).toEqual(
        expect.arrayContaining([
          'content-type: application/json; charset=utf-8',
          'x-content-type-options: nosniff',
          "content-security-policy: default-src 'none'; frame-ancestors 'none'",
          'connection: close',
        ]),
      )
      expect(errorOf(body).extensions.code).toBe('BAD_USER_INPUT')
    },
  )
})

describe('a failed route', () => {
  let routes: FastifyInstance
  beforeAll(async () => {
    routes = fastify()
    registerErrorHandler(routes)
    routes.get('/away', async () => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect' })
    })
    routes.get('/crash', async () => {
      throw new Error('the password is 1234')
    })
  })
  afterAll(() => routes.close())

  it('responds with UNAVAILABLE if the database is unavailable', async () => {
    const response = await routes.inject('/away')
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('1')
    expect(errorOf(response.body).extensions.code).toBe('UNAVAILABLE')
    expect(response.body).not.toContain('10.0.0.1')
  })

  it('responds with the request ID of an internal error, but not its details', async () => {
    const response = await routes.inject('/crash')
    expect(response.statusCode).toBe(500)
    expect(errorOf(response.body).extensions).toEqual({
      code: 'INTERNAL',
      requestId: response.headers['x-request-id'],
    })
    expect(response.body).not.toContain('1234')
  })
})
