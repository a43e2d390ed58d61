import { generateKeyPairSync } from 'node:crypto'
import { signRequest } from '@muster/http-signature'
import { beforeAll, expect, it } from 'vitest'
import { newPerson, signIn } from '../../test/clients/browser.ts'
import { type RestClient, restClient, send } from '../../test/clients/rest.ts'
import { sharedTestApp } from '../../test/harness/app.ts'

const app = sharedTestApp()
let rest: RestClient
beforeAll(async () => {
  rest = restClient(app.url, app.owner)
})

const rejectedFor = (reason: string, status = 401) => ({
  status,
  body: { errors: [{ extensions: { reason } }] },
})

it('accepts signatures of form A (draft-cavage)', async () => {
  const signing = { form: 'cavage' } as const
  expect((await rest('GET', '/devices?size=1', { signing })).status).toBe(200)
  expect((await rest('PUT', '/user/attributes/form', { body: { value: 'A' }, signing })).status).toBe(200)
})

it('rejects a path, query, or method that differs from the signed one', async () => {
  const url = (path: string) => ({ signing: { url: `${app.url}/rest/v1${path}` } })
  expect(await rest('GET', '/devices?size=2', url('/devices?size=1'))).toMatchObject(rejectedFor('bad-signature'))
  expect(await rest('GET', '/devices', url('/events'))).toMatchObject(rejectedFor('bad-signature'))
  expect(await rest('DELETE', '/user/attributes/x', { signing: { method: 'GET' } })).toMatchObject(
    rejectedFor('bad-signature'),
  )
})

it('rejects a body that does not match the signed digest', async () => {
  const signing = { body: '{"value": "good"}' }
  const response = await rest('PUT', '/user/attributes/digest', { body: { value: 'bad' }, signing })
  expect(response).toMatchObject(rejectedFor('digest-mismatch'))
  expect((await rest('GET', '/user/attributes/digest')).status).toBe(404)
})

it('rejects a request with signatures of both forms', async () => {
  const beside = { authorization: 'Signature keyId="x",signature="eA=="' }
  expect(await rest('GET', '/user', { unsignedHeaders: beside })).toMatchObject({ ...rejectedFor('both-forms', 400) })
})

it('requires a digest of a non-empty body if the key requires digests', async () => {
  const { key, secret } = (await rest('POST', '/access-keys', { body: { requireDigest: true } })).body
  const strict = restClient(app.url, { keyId: key, secret })
  const body = { value: 'x' }
  const unsigned = await strict('PUT', '/user/attributes/strict', { body, signing: { digest: false } })
  expect(unsigned).toMatchObject(rejectedFor('digest-required'))
  expect((await strict('GET', '/user')).status).toBe(200)
  expect((await strict('PUT', '/user/attributes/strict', { body })).status).toBe(200)
  expect((await rest('PUT', '/user/attributes/lax', { body, signing: { digest: false } })).status).toBe(200)
})

it('accepts an Ed25519 key', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const { body } = await rest('POST', '/access-keys', { body: { publicKey: pem } })
  expect(body.secret).toBeNull()
  const url = `${app.url}/rest/v1/user`
  const created = Math.floor(Date.now() / 1_000)
  const key = { algorithm: 'ed25519', privateKey } as const
  const headers = signRequest({ keyId: body.key, key, method: 'GET', url, created })
  expect(await send(url, { headers })).toMatchObject({ status: 200, body: { id: app.owner.accountId } })
})

it('rejects a disabled key with the reason key-disabled', async () => {
  const { key, secret } = (await rest('POST', '/access-keys', { body: { name: 'short' } })).body
  const short = restClient(app.url, { keyId: key, secret })
  expect((await short('GET', '/user')).status).toBe(200)
  await rest('PATCH', `/access-keys/${key}`, { body: { enabled: false } })
  let response = await short('GET', '/user')
  while (response.status === 200) response = await short('GET', '/user')
  expect(response).toMatchObject(rejectedFor('key-disabled'))
})

it('requires a digest of a body if only the server requires digests', async () => {
  const strict = await app.startAnother({ env: { MUSTER_REQUIRE_DIGEST: '1' } })
  const client = restClient(strict.url, app.owner)
  const body = { value: 'x' }
  const response = await client('PUT', '/user/attributes/asked', { body, signing: { digest: false } })
  expect(response).toMatchObject(rejectedFor('digest-required'))
  await strict.close()
})

it("rejects a browser session, even with the console's headers", async () => {
  const browser = await signIn(app, await newPerson(app))
  expect((await browser.query('{ login { id } }')).status).toBe(200)
  const headers = {
    cookie: browser.cookieHeader(),
    'muster-session': '1',
    origin: app.url,
    'content-type': 'application/json',
  }
  expect(await send(`${app.url}/rest/v1/user`, { headers })).toMatchObject(rejectedFor('missing'))
  const init = { method: 'PUT', headers, body: '{"value": "x"}' }
  expect(await send(`${app.url}/rest/v1/user/attributes/x`, init)).toMatchObject(rejectedFor('missing'))
})
