import { generateSecret } from '@muster/http-signature'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deleteAccessKey, updateAccessKey } from '../../src/features/access-keys/access-keys.ts'
import {
  type ApiResponse,
  createInstallation,
  type Installation,
  type KeyOwner,
  oneMinutePerCall,
  reasonOf,
  type Signer,
  type Signing,
  send,
} from './installation.ts'

const SECOND = 1_000
const login = '{ login { email } }'

let installation: Installation
let servers: string[]
/** The time of the servers while a test stops the clock. */
let stopped: Date | undefined
beforeAll(async () => {
  installation = await createInstallation()
  const lenient = { elapsed: oneMinutePerCall(), clock: () => stopped ?? new Date() }
  servers = [await installation.startServer(lenient), await installation.startServer(lenient)]
})
afterAll(() => installation.close())

const sendToAll = (signer: Signer, query = login): Promise<ApiResponse[]> =>
  Promise.all(servers.map((server) => send(server, signer, query)))

const contextOf = ({ accountId, email }: KeyOwner) => ({
  db: installation.db,
  viewer: { accountId, email, readOnly: false },
})

const wrong = ({ keyId }: Signer): Signer => {
  return { keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(generateSecret(), 'base64') } }
}

const unknown = (signer: Signer): Signer => ({ ...signer, keyId: 'MKAAAAAAAAAAAAAAAAAA' })

/** The ways to invalidate a key, and the server's reason for rejecting the key afterward. */
const ends: Record<string, { end: (user: KeyOwner, key: string, expires: Date) => Promise<unknown>; reason: string }> =
  {
    disabled: {
      end: (user, key) => updateAccessKey(contextOf(user), key, { enabled: false }),
      reason: 'key-disabled',
    },
    deleted: { end: (user, key) => deleteAccessKey(contextOf(user), key), reason: 'bad-signature' },
    expired: {
      async end(_user, _key, expires) {
        stopped = expires
      },
      reason: 'key-expired',
    },
  }

/** A timeout that is shorter than the interval at which a server reads a key again without a notification. */
const NOTIFIED = { timeout: 20_000 }

describe.each(Object.entries(ends))('a key that was %s', (_how, { end, reason }) => {
  it('is rejected by every server, and its download links are rejected, too', async () => {
    stopped = new Date()
    onTestFinished(() => {
      stopped = undefined
    })
    const user = await installation.createUser()
    const expires = new Date(stopped.getTime() + 60 * SECOND)
    const [signer, other] = [await user.createKey({ expires }), await user.createKey()]
    const responses = await sendToAll(signer, '{ login { eventsUrl } }')
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    // A link from one server also works on the other server.
    const links = responses.flatMap(({ body }) => {
      const { pathname, search } = new URL(body.data.login.eventsUrl)
      return servers.map((server) => server + pathname + search)
    })
    const download = () => Promise.all(links.map(async (link) => (await fetch(link)).status))
    expect(await download()).toEqual([200, 200, 200, 200])

    await end(user, signer.keyId, expires)
    const rejections = async () => (await sendToAll(signer)).map((response) => [response.status, reasonOf(response)])
    await expect.poll(rejections, NOTIFIED).toEqual(servers.map(() => [401, reason]))
    await expect.poll(download, NOTIFIED).toEqual([401, 401, 401, 401])
    expect((await sendToAll(other)).map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('the digest of a body', () => {
  it('is required by every server if the key requires it', async () => {
    const user = await installation.createUser()
    const [plain, strict] = [await user.createKey(), await user.createKey({ requireDigest: true })]
    for (const server of servers) {
      expect((await send(server, plain, login, { digest: false })).status).toBe(200)
      const rejected = await send(server, strict, login, { digest: false })
      expect([rejected.status, reasonOf(rejected)]).toEqual([401, 'digest-required'])
      expect((await send(server, strict, login)).status).toBe(200)
      expect((await send(server, strict, login, { method: 'GET' })).status).toBe(200)
    }
  })

  it('is required with a key that does not require it if the server requires it', async () => {
    const signer = await (await installation.createUser()).createKey()
    const strict = await installation.startServer({ env: { MUSTER_REQUIRE_DIGEST: '1' } })
    expect(reasonOf(await send(strict, signer, login, { digest: false }))).toBe('digest-required')
    expect((await send(strict, signer, login)).status).toBe(200)
    expect((await send(strict, signer, login, { form: 'cavage' })).status).toBe(200)
  })
})

describe('the nonce of a signature', () => {
  it('is accepted only once across all servers', async () => {
    const signer = await (await installation.createUser()).createKey()
    const created = Math.floor(Date.now() / SECOND)
    const requests = Array.from({ length: 12 }, (_, index) =>
      send(servers[index % 2]!, signer, login, { nonce: 'once', created }),
    )
    const responses = await Promise.all(requests)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(responses.filter((response) => reasonOf(response) === 'nonce-used')).toHaveLength(11)
  })
})

describe('the credentials of a request', () => {
  it('are rejected as a bad request if both forms are present', async () => {
    const signer = await (await installation.createUser()).createKey()
    const unsignedHeaders = { authorization: 'Signature keyId="a",headers="date",signature="YQ=="' }
    const response = await send(servers[0]!, signer, login, { unsignedHeaders })
    expect([response.status, reasonOf(response)]).toEqual([400, 'both-forms'])
    expect(response.body.data).toBeUndefined()
  })

  it('are requested if they are missing', async () => {
    const response = await send(servers[0]!, undefined, login)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Signature')
    expect(response.body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', reason: 'missing' } }])
    expect(response.body.data).toBeUndefined()
  })

  it.each([
    '{ version }',
    '{ __typename }',
    '{ __schema { queryType { name } } version }',
    '{ __type(name: "User") { name } }',
  ])('are optional for %s but must be valid', async (query) => {
    const signer = await (await installation.createUser()).createKey()
    for (const signing of [{}, { method: 'GET' }]) {
      const open = await send(servers[0]!, undefined, query, signing)
      expect([open.status, open.body.errors]).toEqual([200, undefined])
      expect((await send(servers[0]!, signer, query, signing)).status).toBe(200)
      const rejected = await send(servers[0]!, wrong(signer), query, signing)
      expect([rejected.status, reasonOf(rejected)]).toEqual([401, 'bad-signature'])
    }
  })

  it.each([
    '{ version login { email } }',
    '{ version applicationTypes { id } }',
    '{ version: login { email } }',
    '{ __schema: login { email } }',
    '{ ... on Query { version login { email } } }',
    '{ version ...More } fragment More on Query { login { email } }',
    '{ version login @skip(if: true) { email } }',
    '{ version login @include(if: false) { email } }',
    'mutation { createAccessKey { secret } }',
  ])('are required for %s', async (query) => {
    expect(reasonOf(await send(servers[0]!, undefined, query))).toBe('missing')
  })
})

describe('an unknown key and a wrong signature', () => {
  it('receive the same response after about the same time', async () => {
    const signer = await (await installation.createUser()).createKey()
    /** The shortest response times, which other load on the machine affects least. */
    const shortest = { unknown: Number.POSITIVE_INFINITY, wrong: Number.POSITIVE_INFINITY }
    const differs = (): boolean =>
      Math.max(shortest.unknown, shortest.wrong) > 1.5 * Math.min(shortest.unknown, shortest.wrong)
    for (let round = 0; round < 25 || differs(); round++) {
      const responses = []
      for (const [name, as] of [
        ['unknown', unknown(signer)],
        ['wrong', wrong(signer)],
      ] as const) {
        const started = performance.now()
        const { status, headers, body } = await send(servers[0]!, as, login)
        shortest[name] = Math.min(shortest[name], performance.now() - started)
        const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers)
        responses.push({ status, body, headers: rest })
      }
      expect(responses[0]).toMatchObject({ status: 401 })
      expect(responses[0]).toEqual(responses[1])
    }
  })
})

describe('failed signatures', () => {
  it('cause status 429 after twenty in a minute, while a key that worked before is still accepted', async () => {
    const server = await installation.startServer({ elapsed: () => 0 })
    const { createKey } = await installation.createUser()
    const [signer, guessed] = [await createKey(), await createKey()]
    expect((await send(server, signer, login)).status).toBe(200)
    for (let time = 0; time < 20; time++) expect((await send(server, wrong(guessed), login)).status).toBe(401)
    const limited = await send(server, wrong(guessed), login)
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('60')
    expect(limited.body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect((await send(server, signer, login)).status).toBe(200)
    expect((await send(server, undefined, '{ version }')).status).toBe(200)
  })
})

describe('a server behind a proxy', () => {
  const publicUrl = 'https://muster.example.com'
  const covers = { authority: ['@method', '@authority', '@path'], target: ['@method', '@authority', '@target-uri'] }
  const signedAs = (origin: string, components: string[]): Signing => ({ url: `${origin}/graphql/v1`, components })

  it('accepts signatures for the public name and for the name that the server receives', async () => {
    const signer = await (await installation.createUser()).createKey()
    const behind = await installation.startServer({ env: { MUSTER_PUBLIC_URL: publicUrl } })
    for (const components of Object.values(covers)) {
      for (const origin of [publicUrl, `${publicUrl}:443`, behind]) {
        expect((await send(behind, signer, login, signedAs(origin, components))).status).toBe(200)
      }
    }
  })

  it('rejects signatures for any other name', async () => {
    const signer = await (await installation.createUser()).createKey()
    const behind = await installation.startServer({
      env: { MUSTER_PUBLIC_URL: publicUrl },
      elapsed: oneMinutePerCall(),
    })
    const others = [
      'https://evil.example.com',
      'https://muster.example.com:8443',
      'https://muster.example.com.evil.example',
    ]
    for (const components of Object.values(covers)) {
      for (const origin of others) {
        const response = await send(behind, signer, login, signedAs(origin, components))
        expect([origin, response.status, reasonOf(response)]).toEqual([origin, 401, 'bad-signature'])
      }
    }
    const asHttp = await send(behind, signer, login, signedAs('http://muster.example.com', covers.target))
    expect(reasonOf(asHttp)).toBe('bad-signature')
    const unnamed = await send(servers[0]!, signer, login, signedAs(publicUrl, covers.authority))
    expect(reasonOf(unnamed)).toBe('bad-signature')
  })
})
