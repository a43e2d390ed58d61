import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneMinutePerCall } from '../../test/access/installation.ts'
import {
  type AuthenticationServers,
  createAuthenticationServers,
  type Server,
} from '../../test/harness/authentication-servers.ts'
import { updateAccessKey } from '../features/access-keys/access-keys.ts'
import { permissionsOfKey } from '../permissions.ts'

let site: AuthenticationServers
let server: Server
beforeAll(async () => {
  site = await createAuthenticationServers()
  server = await site.startServer({ elapsed: oneMinutePerCall() })
})
afterAll(() => site.close())

const withHeader = (name: string, value: string) => (request: Request) => {
  request.headers.set(name, value)
  return request
}

const granted = ({ accountId, email }: { accountId: string; email: string }) => ({
  personId: accountId,
  founderEmail: email,
  permissions: permissionsOfKey(null),
  rateShare: 100,
  address: '127.0.0.1',
})

describe('signed requests', () => {
  it('authenticate the user of the key, in either form', async () => {
    const { viewer, createKey } = await site.createUser()
    const key = await createKey()
    const expected = {
      status: 200,
      body: { viewer: { ...viewer, ...granted(viewer), accessKey: key.key, accessKeyName: null } },
    }
    expect(await server.as(key)).toEqual(expected)
    expect(await server.as(key, { form: 'cavage' })).toEqual(expected)
    expect(await server.as(key, { method: 'GET', body: undefined })).toEqual(expected)
  })

  it('authenticate the user of a key that was registered with a public key', async () => {
    const { viewer, createKey } = await site.createUser()
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const { key } = await createKey({ publicKey: pem })
    const signing = { keyId: key, key: { algorithm: 'ed25519', privateKey } } as const
    expect((await server.send(signing)).body).toEqual({
      viewer: { ...viewer, ...granted(viewer), accessKey: key, accessKeyName: null },
    })
    const other = { ...signing, key: { ...signing.key, privateKey: generateKeyPairSync('ed25519').privateKey } }
    expect((await server.send(other)).body).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'bad-signature' })
  })

  it('authenticate a read-only viewer if the key is read-only', async () => {
    const { createKey } = await site.createUser()
    expect((await server.as(await createKey({ readOnly: true }))).body.viewer.readOnly).toBe(true)
  })

  it('differ from requests without credentials, which have no viewer', async () => {
    expect(await server.send({})).toEqual({ status: 200, body: { viewer: null } })
    expect(await server.send({ alter: withHeader('authorization', '') })).toEqual({
      status: 200,
      body: { viewer: null },
    })
  })

  it('receive the same response for an unknown key as for a wrong signature', async () => {
    const key = await (await site.createUser()).createKey()
    const wrong = await server.as({ ...key, secret: randomBytes(32).toString('base64') })
    const unknown = await server.as({ ...key, key: 'MKAAAAAAAAAAAAAAAAAA' })
    expect(wrong.status).toBe(401)
    expect(wrong.body).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'bad-signature' })
    expect(unknown).toEqual(wrong)
  })

  it('are rejected with a reason if they are invalid', async () => {
    const key = await (await site.createUser()).createKey()
    const reasonOf = async (more: Parameters<Server['as']>[1]) => (await server.as(key, more)).body.reason
    const now = Math.floor(Date.now() / 1_000)
    expect(await reasonOf({ created: now - 310 })).toBe('clock-skew')
    expect(await reasonOf({ components: ['@method', '@authority'] })).toBe('not-covered')
    expect(await reasonOf({ url: `${server.url}/who?a=1` })).toBeUndefined()
    const swapped = await server.send({
      keyId: key.key,
      key: { algorithm: 'hmac-sha256', secret: Buffer.from(key.secret!, 'base64') },
      alter: (request) => new Request(request, { body: '{"a":2}' }),
    })
    expect(swapped.body).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'digest-mismatch' })
  })

  it('are rejected if they use both forms', async () => {
    const key = await (await site.createUser()).createKey()
    const secret = Buffer.from(key.secret!, 'base64')
    const alter = withHeader('authorization', 'Signature keyId="a",headers="date",signature="YQ=="')
    const reply = await server.send({ keyId: key.key, key: { algorithm: 'hmac-sha256', secret }, alter })
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT', reason: 'both-forms' } })
  })

  it("may use the server's public name behind a proxy", async () => {
    const key = await (await site.createUser()).createKey()
    const behind = await site.startServer({ env: { MUSTER_PUBLIC_URL: 'https://muster.example.com' } })
    const bare = await site.startServer()
    const signedFor = async (server: Server) => {
      const options = { url: 'https://muster.example.com/who', components: ['@method', '@target-uri', '@authority'] }
      const alter = (request: Request) => new Request(`${server.url}/who`, request)
      const secret = Buffer.from(key.secret!, 'base64')
      const { body } = await server.send({
        ...options,
        keyId: key.key,
        key: { algorithm: 'hmac-sha256', secret },
        digest: false,
        method: 'GET',
        body: undefined,
        alter,
      })
      return body
    }
    expect((await signedFor(behind)).viewer.accessKey).toBe(key.key)
    expect((await signedFor(bare)).reason).toBe('bad-signature')
  })

  it('must cover a digest of the body if the key or the server requires a digest', async () => {
    const { createKey } = await site.createUser()
    const lenient = await site.startServer()
    const strict = await site.startServer({ env: { MUSTER_REQUIRE_DIGEST: '1' } })
    const [plain, requiring] = [await createKey(), await createKey({ requireDigest: true })]
    expect((await lenient.as(plain, { digest: false })).status).toBe(200)
    expect((await lenient.as(requiring, { digest: false })).body.reason).toBe('digest-required')
    expect((await lenient.as(requiring, { digest: false, method: 'GET', body: undefined })).status).toBe(200)
    expect((await lenient.as(requiring)).status).toBe(200)
    expect((await strict.as(plain, { digest: false })).body.reason).toBe('digest-required')
    expect((await strict.as(plain)).status).toBe(200)
  })
})

describe('a nonce', () => {
  it('is accepted only once across all servers', async () => {
    const key = await (await site.createUser()).createKey()
    const servers = [await site.startServer(), await site.startServer()]
    const many = await Promise.all(
      Array.from({ length: 10 }, (_, index) => servers[index % 2]!.as(key, { nonce: 'the same' })),
    )
    expect(many.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(many.filter(({ body }) => body.reason === 'nonce-used')).toHaveLength(9)
    expect((await servers[0]!.as(key, { nonce: 'another' })).status).toBe(200)
  })

  it('is accepted once for each key', async () => {
    const { createKey } = await site.createUser()
    const [first, second] = [await createKey(), await createKey()]
    const nonce = '~'.repeat(256)
    expect((await server.as(first, { nonce })).status).toBe(200)
    expect((await server.as(second, { nonce })).status).toBe(200)
    expect((await server.as(second, { nonce })).body.reason).toBe('nonce-used')
  })

  it('is deleted when its signature is too old', async () => {
    const key = await (await site.createUser()).createKey()
    const began = Date.now() - 3_600_000
    let now = new Date(began)
    const server = await site.startServer({ clock: () => now })
    await server.as(key, { nonce: 'first' })
    now = new Date(began + 1_800_000)
    await server.as(key, { nonce: 'second' })
    const nonces = () => site.db.selectFrom('used_nonce').select('nonce').where('key', '=', key.key).execute()
    await expect.poll(nonces).toEqual([{ nonce: 'second' }])
  })

  it('is not deleted by a server whose clock jumps ahead', async () => {
    const { createKey } = await site.createUser()
    const [key, other] = [await createKey(), await createKey()]
    let now = new Date()
    const server = await site.startServer({ clock: () => now })
    await server.as(key, { nonce: 'first' })
    now = new Date(now.getTime() + 3_600_000)
    expect((await server.as(other, { nonce: 'first' })).status).toBe(200)
    // The server waits for the background deletion before it closes.
    await server.close()
    const nonces = () => site.db.selectFrom('used_nonce').select('nonce').where('key', '=', key.key).execute()
    expect(await nonces()).toEqual([{ nonce: 'first' }])
  })

  it('remains usable after a request with a wrong signature', async () => {
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const wrong = { ...key, secret: randomBytes(32).toString('base64') }
    expect((await server.as(wrong, { nonce: 'n' })).body.reason).toBe('bad-signature')
    await updateAccessKey(context, key.key, { name: 'renamed' })
    expect((await server.as(key, { nonce: 'n' })).status).toBe(200)
  })
})

describe('failed signatures', () => {
  const wrongly = <Key extends { key: string }>(key: Key) => ({ ...key, secret: randomBytes(32).toString('base64') })
  const limited = { status: 429, body: { code: 'RATE_LIMITED', retryAfter: 60 } }

  it('use up the attempts of their address, except for keys that the address has used successfully in the last hour', async () => {
    const { createKey } = await site.createUser()
    const [known, fresh, other] = [await createKey(), await createKey(), await createKey()]
    let elapsed = 0
    const server = await site.startServer({ elapsed: () => elapsed })
    expect((await server.as(known)).status).toBe(200)
    const replies = await Promise.all(Array.from({ length: 25 }, () => server.as(wrongly(other))))
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(20)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(5)
    expect(await server.as(wrongly(other))).toMatchObject(limited)
    expect(await server.as(fresh)).toMatchObject(limited)
    expect((await server.as(known)).status).toBe(200)
    expect((await server.send({})).body).toEqual({ viewer: null })
    elapsed += 60_000
    expect((await server.as(fresh)).status).toBe(200)
    // An hour after its last valid signature from the address, the key no longer has separate attempts there.
    elapsed += 3_600_000
    for (let time = 0; time < 20; time++) expect((await server.as(wrongly(other))).status).toBe(401)
    expect(await server.as(known)).toMatchObject(limited)
  })

  it('use up separate attempts of a key at an address that has used the key successfully', async () => {
    const { createKey } = await site.createUser()
    const [clumsy, careful] = [await createKey(), await createKey()]
    const server = await site.startServer({ elapsed: () => 0 })
    for (const key of [clumsy, careful]) expect((await server.as(key)).status).toBe(200)
    for (let time = 0; time < 20; time++) expect((await server.as(wrongly(clumsy))).status).toBe(401)
    expect(await server.as(clumsy)).toMatchObject(limited)
    expect((await server.as(careful)).status).toBe(200)
  })

  it("do not lock out the key's owner at another address", async () => {
    const key = await (await site.createUser()).createKey()
    const server = await site.startServer({ elapsed: () => 0, env: { MUSTER_TRUSTED_PROXIES: '127.0.0.1' } })
    const from = (address: string) => ({ alter: withHeader('x-forwarded-for', address) })
    const sign = (signer: { key: string; secret: string | null }, address: string) =>
      server.send({
        ...from(address),
        keyId: signer.key,
        key: { algorithm: 'hmac-sha256', secret: Buffer.from(signer.secret!, 'base64') },
      })
    for (let time = 0; time < 20; time++) {
      expect((await sign(wrongly(key), `192.0.2.${time}`)).status).toBe(401)
    }
    // The key has too many failures from all addresses together, so the server rate-limits failures but still accepts
    // valid signatures.
    expect((await sign(wrongly(key), '192.0.2.100')).status).toBe(429)
    expect((await sign(key, '192.0.2.101')).status).toBe(200)
    expect((await sign({ ...wrongly(key), key: 'made-up' }, '192.0.2.102')).status).toBe(401)
  })

  it('are rejected as several-signatures if a request contains two signatures', async () => {
    const key = await (await site.createUser()).createKey()
    const another = `proxy=("@method");created=1;keyid="proxy"`
    const reply = await server.send({
      keyId: key.key,
      key: { algorithm: 'hmac-sha256', secret: Buffer.from(key.secret!, 'base64') },
      alter(request) {
        request.headers.append('signature-input', another)
        request.headers.append('signature', `proxy=:${'A'.repeat(43)}=:`)
        return request
      },
    })
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT', reason: 'several-signatures' } })
    expect(reply.body.message).toBe('The request has 2 signatures. Send one.')
  })

  it('receive a response after at least 25 ms, whether the key is cached, stored, or unknown', async () => {
    const key = await (await site.createUser()).createKey()
    const wrong = { ...key, secret: randomBytes(32).toString('base64') }
    const unknown = { ...wrong, key: `${key.key}x` }
    for (const each of [wrong, wrong, unknown, unknown]) {
      const sent = performance.now()
      expect((await server.as(each)).body.reason).toBe('bad-signature')
      expect(performance.now() - sent).toBeGreaterThanOrEqual(25)
    }
  })
})
