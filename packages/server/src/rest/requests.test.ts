import { beforeEach, describe, expect, it } from 'vitest'
import { type RestClient, restClient } from '../../test/clients/rest.ts'
import { sharedTestApp } from '../../test/harness/app.ts'
import { limits } from '../limits.ts'

const app = sharedTestApp()
let rest: RestClient
beforeEach(async () => {
  rest = restClient(app.url, await app.createUser())
})

async function register(input: Record<string, unknown>): Promise<string> {
  const { body } = await rest('POST', '/devices', { body: input })
  return body.device.id
}

const namesOf = async (query: string): Promise<string[]> =>
  (await rest('GET', `/devices?${query}`)).body.items.map(({ name }: { name: string }) => name)

describe('the query string of a GET request', () => {
  it('selects devices by attributes, in separate parameters or in JSON', async () => {
    await register({ name: 'a', attributes: { site: 'oslo', net: { ssid: 'lab & co' } } })
    await register({ name: 'b', attributes: { site: 'oslo' } })
    await register({ name: 'c' })
    expect(await namesOf('attributes.site=oslo')).toEqual(['a', 'b'])
    expect(await namesOf('attributes.site=oslo&attributes.net.ssid=lab+%26%20co')).toEqual(['a'])
    expect(await namesOf(`attributes=${encodeURIComponent('{"site": "oslo", "net": {"ssid": null}}')}`)).toEqual(['b'])
    expect(await namesOf(`attributes=${encodeURIComponent('{"site": null}')}`)).toEqual(['c'])
  })

  it('accepts an input object as JSON or in separate parameters', async () => {
    await register({ name: 'a' })
    const simulate = async (query: string) => (await rest('GET', `/simulate?${query}`)).body
    const access = encodeURIComponent('{"permissions": ["DEVICE_READ"], "where": "name = a"}')
    expect(await simulate(`access=${access}`)).toMatchObject({ devices: 1, allowed: null })
    expect(await simulate('access.where=name%20%3D%20b')).toMatchObject({ devices: 0 })
    expect(await rest('GET', '/simulate?access.wher=x')).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' })
  })

  it('accepts a list as a repeated parameter', async () => {
    for (const platform of ['linux', 'esp32', 'a,b']) await register({ name: platform, platform })
    expect(await namesOf('platform=linux&platform=a%2Cb')).toEqual(['a,b', 'linux'])
  })

  it('sorts devices, and counts them unless total is false', async () => {
    for (const name of ['node-2', 'node-10']) await register({ name })
    expect(await namesOf('sort=name%20desc')).toEqual(['node-10', 'node-2'])
    expect(await namesOf('sort=-name')).toEqual(['node-10', 'node-2'])
    expect(await namesOf('sort=%2Bname')).toEqual(['node-2', 'node-10'])
    expect((await rest('GET', '/devices')).body.total).toBe(2)
    expect((await rest('GET', '/devices?total=false')).body).not.toHaveProperty('total')
  })

  it('selects the context of attributes', async () => {
    const id = await register({ name: 'a', attributes: { site: 'oslo' } })
    await rest('PUT', `/devices/${id}/contexts/night/attributes/site`, { body: { value: 'bergen' } })
    const siteIn = async (path: string) => (await rest('GET', path)).body.attributes.site
    expect(await siteIn(`/devices/${id}`)).toBe('oslo')
    expect(await siteIn(`/devices/${id}?context=night`)).toBe('bergen')
    expect((await rest('GET', '/devices?context=night&attributes.site=bergen')).body.items).toMatchObject([{ id }])
    expect((await rest('GET', `/devices/${id}/attributes?context=night`)).body).toEqual({ site: 'bergen' })
    expect((await rest('GET', `/devices/${id}/contexts/night/attributes/site`)).body).toEqual({ value: 'bergen' })
    expect((await rest('GET', `/devices/${id}/contexts`)).body).toEqual({ items: ['night'] })
  })

  it.each([
    ['size=0x10', 'size must be a whole number'],
    ['size=1.0', 'size must be a whole number'],
    ['size=1e2', 'size must be a whole number'],
    ['size=', 'size must be a whole number'],
    ['size=%201', 'size must be a whole number'],
    ['size=3000000000', 'size is invalid'],
    ['size=1001', 'size'],
    ['from=0', 'from'],
    ['application=28&application=x', 'application must be a whole number'],
    ['total=yes', 'total must be true or false'],
    ['total=TRUE', 'total must be true or false'],
    ['size=1&size=1', 'size is given 2 times'],
    ['nope=1&other=2', '"nope", "other" are not query parameters of this route; valid names: size, '],
    ['__proto__=1', '"__proto__" is not a query parameter'],
    ['constructor=1', '"constructor" is not a query parameter'],
    ['state=asleep', 'state'],
    ['sort=name%20up', 'sort'],
    ['name=%ff', 'percent-encoded UTF-8'],
    ['attributes=oslo', 'attributes is not valid JSON'],
    ['attributes=%5B%5D', 'attributes is invalid'],
    ['attributes=%7B%22__proto__%22%3A%20%22x%22%7D', '__proto__'],
    ['attributes.__proto__=x', '__proto__'],
    ['attributes.a=x&attributes.a=y', 'attributes.a is given twice'],
    ['attributes.a=x&attributes=%7B%7D', 'not both'],
    ['attributes.=x', 'empty'],
  ])('is rejected as %j', async (query, message) => {
    const response = await rest('GET', `/devices?${query}`)
    expect(response).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringContaining(message) })
  })

  it.each([
    ['/services', 'id is missing'],
    ['/events?types=NOPE', 'types[0] is invalid'],
    ['/events?minDate=yesterday', 'minDate is invalid'],
    ['/version?x=1', 'this route accepts none'],
  ])('is rejected in %j', async (path, message) => {
    const response = await rest('GET', path)
    expect(response).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringContaining(message) })
  })
})

describe('the body of a REST request', () => {
  it('clears members that are null, and keeps omitted members', async () => {
    const id = await register({
      name: 'a',
      hardwareId: 'HW-1',
      platform: 'linux',
      attributes: { site: 'oslo', x: '1' },
    })
    const changed = await rest('PATCH', `/devices/${id}`, { body: { hardwareId: null } })
    expect(changed.body).toMatchObject({ name: 'a', hardwareId: null, platform: 'linux' })
    const contentType = 'application/merge-patch+json'
    const attributes = await rest('PATCH', `/devices/${id}/attributes`, { body: { x: null, y: '' }, contentType })
    expect(attributes.body).toEqual({ site: 'oslo', y: '' })
  })

  it('sets one attribute, and removes it with null or with DELETE', async () => {
    const id = await register({ name: 'a' })
    const path = `/devices/${id}/attributes/net.ssid`
    expect((await rest('PUT', path, { body: { value: 'lab' } })).body).toEqual({ value: 'lab' })
    expect((await rest('GET', `/devices/${id}/attributes`)).body).toEqual({ net: { ssid: 'lab' } })
    expect((await rest('PUT', path, { body: { value: null } })).body).toEqual({ value: null })
    expect(await rest('GET', path)).toMatchObject({ status: 404, message: 'there is no attribute "net.ssid"' })
    await rest('PUT', path, { body: { value: 'lab' } })
    expect(await rest('DELETE', path)).toMatchObject({ status: 204, text: '' })
    expect(await rest('GET', path)).toMatchObject({ status: 404 })
  })

  it('sets attributes of the user', async () => {
    expect((await rest('PATCH', '/user/attributes', { body: { $ui: { statusA: 'Load' } } })).status).toBe(200)
    expect((await rest('GET', '/user/attributes/$ui.statusA')).body).toEqual({ value: 'Load' })
  })

  it('can contain force for DELETE', async () => {
    const id = await register({ name: 'a' })
    await rest('PUT', `/services/${id}/state`, { body: { state: 'active' } })
    expect(await rest('DELETE', `/devices/${id}`)).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect((await rest('DELETE', `/devices/${id}`, { body: { force: true } })).status).toBe(204)
    expect((await rest('GET', `/devices/${id}`)).status).toBe(404)
  })

  it.each([
    ['', 'name is missing'],
    ['{', 'not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['{}', 'name is missing'],
    ['{"name": null}', 'name is invalid'],
    ['{"name": 3}', 'name is invalid'],
    ['{"name": "a", "services": [{"name": "x", "port": "22"}]}', 'services[0].port is invalid'],
    ['{"name": "a", "services": [{"name": "x", "ports": 22}]}', '"ports"'],
    ['{"name": "a", "__proto__": {}}', '__proto__'],
    ['{"name": "a", "toString": 1}', '"toString" is not a member of the body; valid names: name, '],
    ['{"name": "a", "attributes": "x"}', 'attributes is invalid'],
  ])('is rejected as %j', async (body, message) => {
    const response = await rest('POST', '/devices', { body })
    expect(response).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringContaining(message) })
    expect((await rest('GET', '/devices')).body.items).toEqual([])
  })

  it('is rejected if it is not UTF-8', async () => {
    const id = await register({ name: 'a' })
    const path = `/devices/${id}/attributes/x`
    const body = Buffer.from([...Buffer.from('{"value": "'), 0xff, ...Buffer.from('"}')])
    const response = await rest('PUT', path, { bytes: body })
    expect(response).toMatchObject({ status: 400, message: 'the body is not UTF-8; send JSON in UTF-8' })
  })

  it('is rejected if it contains no value', async () => {
    expect(await rest('PUT', '/user/attributes/x', { body: {} })).toMatchObject({ status: 400 })
    expect(await rest('PATCH', '/user/attributes')).toMatchObject({ status: 400 })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/merge-patch+json',
    'application/jsonp',
  ])('is rejected with 415 for the content type %s', async (contentType) => {
    const response = await rest('POST', '/devices', { body: { name: 'a' }, contentType })
    expect(response).toMatchObject({ status: 415, code: 'BAD_USER_INPUT' })
    expect(response.headers.get('accept')).toBe('application/json')
  })

  it('is rejected with 413 above the body limit, and with 422 for a value above its limit', async () => {
    const tooMuch = { name: 'a', attributes: { x: 'x'.repeat(limits.requestBodyBytes) } }
    expect(await rest('POST', '/devices', { body: tooMuch })).toMatchObject({ status: 413, code: 'LIMIT_EXCEEDED' })
    const tooLong = { name: 'a', attributes: { x: 'x'.repeat(limits.valueBytes + 1) } }
    expect(await rest('POST', '/devices', { body: tooLong })).toMatchObject({ status: 422, code: 'LIMIT_EXCEEDED' })
  })
})

describe('a name in the path of a REST request', () => {
  it.each([
    ['a slash', 'a/b'],
    ['a percent sign', 'a%b'],
    ['an escape', 'a%2Fb'],
    ['a plus', 'a+b'],
    ['a space', 'a b'],
    ['a question mark', 'a?b=c'],
    ['a hash', 'a#b'],
    ['several dots', 'a.b.c'],
    ['non-ASCII characters', 'é💡'],
    ['the maximum number of characters', `${'💡'.repeat(128)}.${'é'.repeat(128)}`],
  ])('can contain %s', async (_what, name) => {
    const path = `/user/attributes/${encodeURIComponent(name)}`
    expect(await rest('PUT', path, { body: { value: 'x' } })).toMatchObject({ status: 200 })
    expect((await rest('GET', path)).body).toEqual({ value: 'x' })
    const { body } = await rest('GET', '/user/attributes')
    const [group = '', ...subName] = name.split('.')
    expect(body).toEqual({ [group]: subName.length === 0 ? 'x' : { [subName.join('.')]: 'x' } })
  })

  it('can follow a context that contains a slash, a space, and a percent sign', async () => {
    const path = `/user/contexts/${encodeURIComponent('night/ß %')}/attributes/x`
    await rest('PUT', path, { body: { value: 'x' } })
    expect((await rest('GET', '/user/contexts')).body).toEqual({ items: ['night/ß %'] })
    expect((await rest('DELETE', path)).status).toBe(204)
    expect((await rest('GET', '/user/contexts')).body).toEqual({ items: [] })
  })

  it.each(['', '$other.x', 'a%00b', '.a'])('is rejected as %j', async (name) => {
    const response = await rest('PUT', `/user/attributes/${name}`, { body: { value: 'x' } })
    expect(response.status).toBe(400)
    expect(['BAD_USER_INPUT', 'RESERVED_ATTRIBUTE']).toContain(response.code)
  })
})
