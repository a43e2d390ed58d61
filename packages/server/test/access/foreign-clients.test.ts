import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foreignClients, newEd25519, type Recorded } from './foreign-clients.ts'
import { createInstallation, type Installation, oneMinutePerCall, type Signer, send } from './installation.ts'
import { changedBytes, layoutOf, type Part, type RawResponse, sendRaw } from './raw-requests.ts'

let installation: Installation
let server: string
beforeAll(async () => {
  installation = await createInstallation()
  server = await installation.startServer({ elapsed: oneMinutePerCall() })
})
afterAll(() => installation.close())

/** Creates an account with two keys. The second key is registered through the API with its public key. */
async function newClient(): Promise<{ accountId: string; email: string; keys: Signer[] }> {
  const { accountId, email, createKey } = await installation.createUser()
  const signer = await createKey()
  const { publicKey, privateKey } = newEd25519()
  const register = `mutation { createAccessKey(publicKey: ${JSON.stringify(publicKey)}) { key secret } }`
  const { key } = (await send(server, signer, register)).body.data.createAccessKey
  const keys: Signer[] = [signer, { keyId: key, key: { algorithm: 'ed25519', privateKey } }]
  return { accountId, email, keys }
}

/** Returns the rows that the tests' documents could change. */
async function traces(accountId: string): Promise<unknown> {
  const { db } = installation
  const events = await db
    .selectFrom('event')
    .select(['id', 'type', 'data'])
    .where('account_id', '=', accountId)
    .execute()
  const account = await db.selectFrom('account').select('attributes').where('id', '=', accountId).executeTakeFirst()
  return { events, account }
}

/**
 * The statuses of rejections for reasons other than the credentials. 400: the request cannot be parsed, or its target
 * cannot be signed. 404: the path is unknown. 413: the body is too large. 415: the media type is not supported.
 */
const rejectedByHttp = [400, 404, 413, 415]

/**
 * Returns a problem, or undefined. All responses must be rejections without data. If the first response has status 401,
 * a reason is required. Only a request that ends early may have no response.
 */
function findProblem({ statuses, text }: RawResponse, endsEarly: boolean): string | undefined {
  if (text.includes('"data"')) return `data: ${text}`
  if (statuses.length === 0) return endsEarly ? undefined : 'no response'
  if (statuses.some((status) => status !== 401 && !rejectedByHttp.includes(status))) return `responded with ${statuses}`
  if (statuses[0] === 401 && !/"reason":"[a-z-]+"/.test(text)) return `no reason: ${text}`
  return undefined
}

function declaresMore(bytes: Buffer): boolean {
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(bytes.toString('latin1'))?.[1]
  return length !== undefined && Number(length) > bytes.length - layoutOf(bytes).body.start
}

interface Outcome {
  wrong: string[]
  count: number
  unauthenticated: number
}

async function sendAllChanged({ bytes, signed }: Recorded): Promise<Outcome> {
  const outcome: Outcome = { wrong: [], count: 0, unauthenticated: 0 }
  const requests = changedBytes(bytes, signed)
  const work = async (): Promise<void> => {
    for (const { part, changed } of requests) {
      const ends = declaresMore(changed)
      const response = await sendRaw(server, changed, { ends })
      const wrong = findProblem(response, ends)
      if (wrong !== undefined) outcome.wrong.push(`${part}: ${wrong}`)
      outcome.count++
      if (response.statuses[0] === 401) outcome.unauthenticated++
    }
  }
  await Promise.all(Array.from({ length: 32 }, work))
  return outcome
}

describe.each(Object.entries(foreignClients))('%s', (_name, client) => {
  it('is accepted unchanged, and is rejected if any signed byte changes', async () => {
    const { accountId, email, keys } = await newClient()
    const query = '{ login { email } }'
    const mutation = `mutation { setAttribute(name: "site", value: "Tromsø", serviceId: "${accountId}") }`
    const served: [document: string, response: string][] = [[query, `{"data":{"login":{"email":"${email}"}}}`]]
    if (client.method === 'POST') served.push([mutation, '{"data":{"setAttribute":"Tromsø"}}'])

    for (const [document, expected] of served) {
      const before = await traces(accountId)
      const requests = await Promise.all(keys.map((key) => client.record(server, key, document)))
      // If there are two documents, change the bytes of each document in only one key's request.
      const changedRequests =
        served.length === 1 ? requests : requests.filter((_, key) => served[key]?.[0] === document)
      expect(changedRequests).not.toEqual([])
      for (const request of changedRequests) {
        const outcome = await sendAllChanged(request)
        expect(outcome.wrong).toEqual([])
        expect(outcome.unauthenticated).toBeGreaterThan(outcome.count / 2)
      }
      expect(await traces(accountId)).toEqual(before)
      for (const { bytes } of requests) {
        const response = await sendRaw(server, bytes)
        expect(response.statuses).toEqual([200])
        expect(Buffer.from(response.text, 'latin1').toString()).toContain(expected)
      }
    }
  })

  it('is rejected with a different method, target, or length', async () => {
    const { accountId, keys } = await newClient()
    const mutation = `mutation { setAttribute(name: "site", value: "oslo", serviceId: "${accountId}") }`
    const before = await traces(accountId)
    for (const key of keys) {
      const document = client.method === 'POST' ? mutation : '{ login { email } }'
      const { bytes, signed } = await client.record(server, key, document)
      const { method, target } = layoutOf(bytes)
      const path = bytes.toString('latin1', target.start, target.end)
      const requests = [
        ...METHODS.filter((other) => other !== client.method).map((other) => replaced(bytes, method, other)),
        ...otherTargets(path).map((other) => replaced(bytes, target, other)),
        ...otherLengths(bytes, signed),
      ]
      for (const request of requests) {
        const { statuses, text } = await sendRaw(server, request, { ends: declaresMore(request) })
        const line = request.toString('latin1').split('\r\n')[0]
        expect([line, statuses.filter((status) => status < 400)]).toEqual([line, []])
        expect(text).not.toContain('"data"')
      }
    }
    expect(await traces(accountId)).toEqual(before)
  })
})

const replaced = (bytes: Buffer, { start, end }: Part, text: string): Buffer =>
  Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)])

function otherLengths(bytes: Buffer, signed: readonly Part[]): Buffer[] {
  const part = signed.find(({ name }) => name === 'content-length')
  if (part === undefined) return []
  const length = Number(bytes.toString('latin1', part.start, part.end))
  return [length - 1, length + 1, 0].map((other) => replaced(bytes, part, String(other)))
}

/** Returns different request targets, including some that routers and proxies may treat as equal to the path. */
const otherTargets = (path: string): string[] => [
  `${server}${path}`,
  `/${path}`,
  path.replace('/v1', '/v1/'),
  path.replace('/v1', '/%761'),
  path.replace('/v1', '/./v1'),
  path.replace('graphql', 'GraphQL'),
  `${path}#a`,
  `${path};a`,
  `${path}?`,
  `${path}&a=1`,
  `${path}?query={version}`,
  '*',
]

it('accepts a changed body without a signed digest unless the key requires a digest', async () => {
  const { createKey } = await installation.createUser()
  const client = foreignClients['http-signature, the documented five headers']!
  const outcomes = []
  for (const requireDigest of [false, true]) {
    const { bytes } = await client.record(server, await createKey({ requireDigest }), '{ login { email } }')
    const changed = Buffer.from(bytes.toString('latin1').replace('email', 'name '), 'latin1')
    outcomes.push((await sendRaw(server, changed)).text)
  }
  expect(outcomes[0]).toContain('{"data":{"login":{"name":null}}}')
  expect(outcomes[1]).toContain('"reason":"digest-required"')
})
