import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foreignClients, newEd25519, type Recorded } from './foreign-clients.ts'
import { everAnotherMinute, type Installation, openInstallation, type Signer, send } from './installation.ts'
import { changedBytes, layoutOf, type Part, type RawAnswer, sendRaw } from './raw.ts'

let installation: Installation
let server: string
beforeAll(async () => {
  installation = await openInstallation()
  server = await installation.startServer({ elapsed: everAnotherMinute() })
})
afterAll(() => installation.close())

/** A user with one key of either kind; the second one is registered over the API, by its public half. */
async function newClient(): Promise<{ accountId: string; email: string; keys: Signer[] }> {
  const { accountId, email, createKey } = await installation.createUser()
  const signer = await createKey()
  const { publicKey, privateKey } = newEd25519()
  const register = `mutation { createAccessKey(publicKey: ${JSON.stringify(publicKey)}) { key secret } }`
  const { key } = (await send(server, signer, register)).body.data.createAccessKey
  const keys: Signer[] = [signer, { keyId: key, key: { algorithm: 'ed25519', privateKey } }]
  return { accountId, email, keys }
}

/** Everything that an operation could have left behind. */
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
 * What HTTP itself refuses before anybody asks who sent it: 400 (the request cannot be read, or its target is in no form that can be
 * signed), 404 (another path), 413 (a body too large), 415 (no media type). Besides, no answer at all where the request says that
 * more bytes come than do.
 */
const refusedByHttp = [400, 404, 413, 415]

/** Undefined for an answer that is right: nothing but refusals, each with its reason, and not a word of data. */
function whatIsWrong({ statuses, text }: RawAnswer, endsEarly: boolean): string | undefined {
  if (text.includes('"data"')) return `data: ${text}`
  if (statuses.length === 0) return endsEarly ? undefined : 'no answer'
  if (statuses.some((status) => status !== 401 && !refusedByHttp.includes(status))) return `answered ${statuses}`
  if (statuses[0] === 401 && !/"reason":"[a-z-]+"/.test(text)) return `no reason: ${text}`
  return undefined
}

/** Whether the body that is announced is longer than the one that is there. */
function announcesMore(bytes: Buffer): boolean {
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
      const ends = announcesMore(changed)
      const answer = await sendRaw(server, changed, { ends })
      const wrong = whatIsWrong(answer, ends)
      if (wrong !== undefined) outcome.wrong.push(`${part}: ${wrong}`)
      outcome.count++
      if (answer.statuses[0] === 401) outcome.unauthenticated++
    }
  }
  await Promise.all(Array.from({ length: 32 }, work))
  return outcome
}

describe.each(Object.entries(foreignClients))('%s', (_name, client) => {
  it('is served, and with any signed byte changed never', async () => {
    const { accountId, email, keys } = await newClient()
    const query = '{ login { email } }'
    const mutation = `mutation { setAttribute(name: "site", value: "Tromsø", serviceId: "${accountId}") }`
    const served: [document: string, answer: string][] = [[query, `{"data":{"login":{"email":"${email}"}}}`]]
    if (client.method === 'POST') served.push([mutation, '{"data":{"setAttribute":"Tromsø"}}'])

    for (const [document, expected] of served) {
      const before = await traces(accountId)
      const requests = await Promise.all(keys.map((key) => client.record(server, key, document)))
      // Of two documents each is signed by both keys, and every byte changed under one of them.
      const swept = served.length === 1 ? requests : requests.filter((_, key) => served[key]?.[0] === document)
      expect(swept).not.toEqual([])
      for (const request of swept) {
        const outcome = await sendAllChanged(request)
        expect(outcome.wrong).toEqual([])
        expect(outcome.unauthenticated).toBeGreaterThan(outcome.count / 2)
      }
      expect(await traces(accountId)).toEqual(before)
      for (const { bytes } of requests) {
        const answer = await sendRaw(server, bytes)
        expect(answer.statuses).toEqual([200])
        expect(Buffer.from(answer.text, 'latin1').toString()).toContain(expected)
      }
    }
  })

  it('is good for its own method, target and length alone', async () => {
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
        const { statuses, text } = await sendRaw(server, request, { ends: announcesMore(request) })
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

/** A body said to be a byte shorter or longer, where its length is signed. */
function otherLengths(bytes: Buffer, signed: readonly Part[]): Buffer[] {
  const part = signed.find(({ name }) => name === 'content-length')
  if (part === undefined) return []
  const length = Number(bytes.toString('latin1', part.start, part.end))
  return [length - 1, length + 1, 0].map((other) => replaced(bytes, part, String(other)))
}

/** What routers and proxies are known to take for the same. */
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

it('a body that the signature does not cover is served as it comes, unless the key requires a digest', async () => {
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
