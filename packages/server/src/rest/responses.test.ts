import { beforeEach, describe, expect, it } from 'vitest'
import { type RestClient, type RestResponse, restClient, send } from '../../test/clients/rest.ts'
import { sharedTestApp, type TestUser } from '../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
let rest: RestClient
beforeEach(async () => {
  user = await app.createUser()
  rest = restClient(app.url, user)
})

function linksOf({ headers }: RestResponse): Record<string, string> {
  const links = Array.from((headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="([^"]+)"/g))
  return Object.fromEntries(links.map(([, target = '', relation = '']) => [relation, target]))
}

describe('a REST response', () => {
  it.each([
    ['a success', 200, () => rest('GET', '/user')],
    ['a success without a body', 204, () => rest('DELETE', '/user/attributes/x')],
    ['an invalid argument', 400, () => rest('GET', '/devices?size=x')],
    ['a missing signature', 401, () => send(`${app.url}/rest/v1/user`)],
    ['an unknown device', 404, () => rest('GET', '/devices/80:00:00:00:00:00:00:00')],
    ['an unknown path', 404, () => rest('GET', '/nowhere')],
    ['an unsupported method', 405, () => rest('PUT', '/user')],
    ['a body of another content type', 415, () => rest('POST', '/devices', { body: 'x', contentType: 'text/plain' })],
    ['invalid percent-encoding in the path', 400, () => send(`${app.url}/rest/v1/user/attributes/%zz`)],
    ['the OpenAPI description', 200, () => send(`${app.url}/rest/v1/openapi.json`)],
    ['the documentation', 200, () => send(`${app.url}/rest/v1`)],
  ])('includes the deprecation headers for %s', async (_what, status, send) => {
    const response = await send()
    expect(response.status).toBe(status)
    // The header must be a structured-field date (RFC 9745 §2.1).
    expect(response.headers.get('deprecation')).toMatch(/^@\d{10}$/)
    expect(linksOf(response)).toMatchObject({ 'successor-version': '/graphql/v1', deprecation: '/rest/v1' })
    expect(response.headers.get('x-request-id')).toMatch(/./)
    if (status >= 400)
      expect(response.body).toEqual({ errors: [{ message: response.message, extensions: expect.anything() }] })
  })

  it('links to existing pages', async () => {
    const { text, headers } = await send(`${app.url}${linksOf(await rest('GET', '/user')).deprecation}`)
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(text).toContain('### `GET /devices/{id}`')
    expect((await user.query('{ version }')).status).toBe(200)
  })

  it('is the only kind of response with a Deprecation header', async () => {
    for (const path of ['/healthz', '/graphql/v1?query={version}', '/rest/v10', '/rest', '/%zz']) {
      expect((await fetch(app.url + path)).headers.get('deprecation'), path).toBeNull()
    }
  })
})

describe('a page of a REST list', () => {
  it('links to the next page until the last page', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `node-${index}`)
    for (const name of names) await rest('POST', '/devices', { body: { name, attributes: { site: 'o&<ö' } } })
    await rest('POST', '/devices', { body: { name: 'other' } })
    const seen: string[] = []
    let path: string | undefined = '/devices?size=3&attributes.site=o%26%3C%C3%B6&from=1&total=false'
    while (path !== undefined) {
      const page = await rest('GET', path)
      expect(page.status).toBe(200)
      seen.push(...page.body.items.map(({ name }: { name: string }) => name))
      path = linksOf(page).next?.replace('/rest/v1', '')
      expect(path !== undefined).toBe(page.body.hasMore)
    }
    expect(seen).toEqual(names)
  })

  it('links to older events if it contains events', async () => {
    const { body } = await rest('POST', '/devices', { body: { name: 'a' } })
    const path = `/devices/${body.device.id}`
    for (const name of ['b', 'c']) await rest('PATCH', path, { body: { name } })
    const first = await rest('GET', `${path}/events?size=2`)
    const second = await rest('GET', linksOf(first).next?.replace('/rest/v1', '') ?? '')
    const types = [...first.body.items, ...second.body.items].map(({ type }: { type: string }) => type)
    expect(types).toEqual(['DEVICE_UPDATE', 'DEVICE_UPDATE', 'DEVICE_REGISTER'])
    expect(linksOf(second).next).toBeUndefined()
  })
})

describe('a method of a REST path', () => {
  it('is rejected with 405 and the supported methods if the path does not support it', async () => {
    const allowed = async (method: string, path: string) => {
      const response = await rest(method, path)
      expect(response).toMatchObject({ status: 405, code: method === 'HEAD' ? undefined : 'BAD_USER_INPUT' })
      return response.headers.get('allow')
    }
    expect(await allowed('DELETE', '/devices')).toBe('GET, HEAD, POST')
    expect(await allowed('OPTIONS', '/devices/80:00:00:00:00:00:00:00')).toBe('GET, HEAD, PATCH, DELETE')
    expect(await allowed('GET', '/services/x/name')).toBe('PUT')
    expect(await allowed('HEAD', '/attributes')).toBe('PATCH')
    expect(await allowed('POST', '/openapi.json')).toBe('GET, HEAD')
  })

  it('returns the status and the Content-Length of GET, without a body, if it is HEAD', async () => {
    const [head, get] = [await rest('HEAD', '/user'), await rest('GET', '/user')]
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect((await rest('HEAD', '/devices/80:00:00:00:00:00:00:00')).status).toBe(404)
  })
})

describe('an object that a REST request creates', () => {
  it('is available at the path in Location', async () => {
    const { status, headers, body } = await rest('POST', '/devices', { body: { name: 'a' } })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/rest/v1/devices/${body.device.id}`)
    const key = await rest('POST', '/access-keys', { body: { name: 'x' } })
    expect(await rest('GET', key.headers.get('location')?.replace('/rest/v1', '') ?? '')).toMatchObject({
      status: 200,
      body: { key: key.body.key, name: 'x' },
    })
  })

  it('is recorded in the events with its actor', async () => {
    await rest('POST', '/devices', { body: { name: 'a' } })
    const { body } = await rest('GET', '/events?types=DEVICE_REGISTER')
    expect(body.items).toMatchObject([{ actor: { id: user.accountId }, target: [{ name: 'a', kind: 'device' }] }])
  })
})

describe('the body of a REST response', () => {
  it('contains the same values as a GraphQL response', async () => {
    const { body } = await rest('POST', '/devices', { body: { name: 'a', services: [{ name: 'ssh', port: 22 }] } })
    const { login } = await user.data('{ login { id email name created } }')
    expect((await rest('GET', '/user')).body).toEqual(login)
    const { device } = (await user.data(`{ login { device(id: "${body.device.id}") { id name state created } } }`))
      .login
    expect((await rest('GET', `/devices/${body.device.id.toUpperCase()}`)).body).toMatchObject(device[0])
  })

  it('contains the result of each change of a batch', async () => {
    const { body } = await rest('POST', '/devices', { body: { name: 'a' } })
    const none = '80:00:00:00:00:00:00:00'
    const items = [body.device.id, none].map((serviceId) => ({ serviceId, attributes: { site: 'oslo' } }))
    const response = await rest('PATCH', '/attributes', { body: { items } })
    expect(response).toMatchObject({
      status: 200,
      body: {
        items: [
          { attributes: { site: 'oslo' }, code: null },
          { attributes: null, code: 'NOT_FOUND' },
        ],
      },
    })
  })

  it('contains the code of a conflict (409) or of a reserved name (400)', async () => {
    const { body } = await rest('POST', '/devices', {
      body: { name: 'a', hardwareId: 'HW', attributes: { site: 'oslo' } },
    })
    const attributes = `/devices/${body.device.id}/attributes`
    expect(await rest('POST', '/devices', { body: { name: 'b', hardwareId: 'HW' } })).toMatchObject({
      status: 409,
      code: 'CONFLICT',
    })
    expect(await rest('PUT', `${attributes}/site.x`, { body: { value: 'x' } })).toMatchObject({ status: 409 })
    expect(await rest('PUT', `${attributes}/$svc.x`, { body: { value: 'x' } })).toMatchObject({
      status: 400,
      code: 'RESERVED_ATTRIBUTE',
    })
  })
})
