import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, signIn } from '../../clients/browser.ts'
import { sendAs } from '../../harness/server-process.ts'

type Credentials = Record<string, string>

/** Neither the load nor the upgrade changes what these operations read. */
const documents = [
  'query ($ids: [String!]!) { login { id email name created attributes contexts device(id: $ids) { id } } }',
  `query ($ids: [String!]!) { login { device(id: $ids) {
    id name hardwareId platform created state online stateSince lastReported attributes contexts
    night: attributes(context: "night") overrides(context: "night") site: attribute(name: "site") categoryA statusA
    owner { id email } services { id name application title port host enabled state attributes } } } }`,
  'query ($ids: [String!]!) { login { service(id: $ids) { id name attributes } } }',
  `query ($changed: [String!]!) { login { events(deviceId: $changed, size: 100) { total items {
    id type timestamp state data actor { id email } owner { id email } target { id name kind } } } registrationCodes { id uses expires } } }`,
]

/** A client with an access key and a session, both from before the upgrade. */
export interface FormerClient {
  credentials: Credentials
  browser: Browser
  ids: string[]
  /** The IDs of the devices that the client registered and changed, and whose events the operations read. */
  changed: string[]
  /** The status and body of each operation's responses: first with the key, and then with the session. */
  responses: string[]
}

/** Opens the client and records its responses. Call this function before the load begins. */
export async function openFormerClient(credentials: Credentials, url: string): Promise<FormerClient> {
  const { MUSTER_EMAIL: email = '', MUSTER_PASSWORD: password = '' } = credentials
  const browser = await signIn({ url }, { id: '', email, password })
  const { body } = await sendAs(credentials, url, '{ login { devices(size: 20, sort: "name") { items { id } } } }')
  const ids = body.data.login.devices.items.map(({ id }: { id: string }) => id)
  const client = { credentials, browser, ids, changed: [await addChangedDevice(credentials, url)] }
  return { ...client, responses: await readResponses(client, url) }
}

async function addChangedDevice(credentials: Credentials, url: string): Promise<string> {
  const register =
    'mutation { registerDevice(name: "former", attributes: { site: "oslo" }, services: [{ name: "ssh", port: 22 }]) { device { id } } }'
  const { id } = (await sendAs(credentials, url, register)).body.data.registerDevice.device
  const change =
    'mutation ($id: String!) { setAttribute(serviceId: $id, name: "site", value: "bergen", context: "night") }'
  const { body } = await sendAs(credentials, url, { query: change, variables: { id } })
  assert.equal(body.errors, undefined)
  return id
}

async function readResponses(
  { credentials, browser, ids, changed }: Omit<FormerClient, 'responses'>,
  url: string,
): Promise<string[]> {
  const responses: string[] = []
  for (const query of documents) {
    const operation = { query, variables: query.includes('$changed') ? { changed } : { ids } }
    const answers = [
      await sendAs(credentials, url, operation),
      await browser.query(query, operation.variables, { server: { url } }),
    ]
    for (const { status, body } of answers) {
      assert.equal(body.errors, undefined)
      responses.push(`${status} ${JSON.stringify(body)}`)
    }
  }
  return responses
}

/**
 * Asserts that both releases return the same responses, and that each accepts a password that the other has set.
 * `failuresAtFormer` is the number of times that each password change and each sign-in may fail on the earlier release.
 */
export async function assertSameResponses(
  client: FormerClient,
  former: string,
  current: string,
  failuresAtFormer: number,
): Promise<void> {
  for (const url of [former, current]) assert.deepEqual(await readResponses(client, url), client.responses)
  const at = (url: string, work: () => Promise<Browser>): Promise<Browser> =>
    url === former ? repeat(work, failuresAtFormer) : work()
  let { MUSTER_EMAIL: email = '', MUSTER_PASSWORD: password = '' } = client.credentials
  for (const [changing, reading] of [
    [former, current],
    [current, former],
  ] as const) {
    const signInWith = (secret: string) =>
      at(reading, () => signIn({ url: reading }, { id: '', email, password: secret }))
    const browser = await signInWith(password)
    const newPassword = `${password}-changed`
    const body = { currentPassword: password, newPassword }
    await at(changing, async () => {
      const { status } = await browser.send('/auth/change-password', { body, server: { url: changing } })
      assert.equal(status, 200)
      return browser
    })
    password = newPassword
    await signInWith(password)
  }
}

async function repeat<Result>(work: () => Promise<Result>, failures: number): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (failures === 0) throw error
    console.log(`repeated on the former release: ${(error as Error).message.split('\n')[0]}`)
    await sleep(1_000)
    return repeat(work, failures - 1)
  }
}
