import { buildSchema } from '../../src/schema.ts'
import { newKey } from '../access/callers.ts'
import type { OwnedObjects } from '../access/owned-objects.ts'
import { queryCalls } from '../access/query-calls.ts'
import { everyType, type FieldRequest } from '../access/type-queries.ts'
import { list } from '../api/device-lists.ts'
import { createAuthenticator } from '../clients/authenticator.ts'
import { newPerson, openBrowser, signIn } from '../clients/browser.ts'
import { codeOf } from '../clients/totp.ts'
import type { TestApp, TestUser } from '../harness/app.ts'
import { directCalls } from './direct-calls.ts'
import { directSignInCalls } from './direct-sign-in-calls.ts'

/**
 * Sends the statements of the server. Returns the errors of the statements that the test has to send directly.
 */
export async function driveEverything(app: TestApp, user: TestUser, own: OwnedObjects): Promise<string[]> {
  await setAttributes(user, own)
  await readLists(user, own)
  await signInToConsole(app)
  const errors = await sendDirectly(app, own)
  await sendEveryOperation(user, own)
  return errors
}

async function setAttributes(user: TestUser, { userId, device, service }: OwnedObjects): Promise<void> {
  const set = (id: string, name: string, value: string | null, context: string | null = null) =>
    user.data(
      `mutation ($id: String!, $name: String!, $value: String, $context: String) {
        setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }`,
      { id, name, value, context },
    )
  for (const id of [userId, device, service]) {
    await set(id, 'site', 'oslo')
    await set(id, 'site', 'bergen', 'night')
    await set(id, 'site', null, 'night')
  }
  for (const letter of 'ABCDE')
    for (const group of ['category', 'status']) await set(device, `$svc.${group}${letter}`, 'x')
}

/** Reads lists in several orders, with several filters, and after a cursor. The server sends different statements. */
async function readLists(user: TestUser, { device, hardwareId, context, attribute }: OwnedObjects): Promise<void> {
  const fields = ['name', 'id', 'created', 'hardwareId', 'platform', 'state', 'lastReported']
  const filters: Record<string, unknown>[] = [
    {},
    { name: 'dev' },
    { state: 'active' },
    { id: [device] },
    { hardwareId },
    { platform: ['linux'] },
    { application: [22] },
    { attributes: { [attribute]: 'x', other: null } },
    { attributes: { [attribute]: 'x', other: null }, context },
    { attributes: { $svc: { statusA: 'x', statusB: null } } },
    { attributes: { $svc: { statusA: 'x', statusB: null } }, context },
  ]
  for (const filter of filters) await list(user, filter)
  for (const sort of [...fields, 'name desc', '$svc.statusA', attribute]) {
    for (const more of [{}, { context, name: 'dev', state: 'active' }]) {
      const order = { sort, ...more }
      const { cursor } = await list(user, { ...order, size: 1 })
      await list(user, { ...order, from: 2 })
      await list(user, { ...order, last: device })
      if (cursor !== null) await list(user, { ...order, after: cursor })
    }
  }
  for (const args of [
    'name: "x"',
    'state: "active"',
    'application: [22]',
    'sort: "port"',
    'sort: "site"',
    'sort: "id"',
  ])
    await user.data(`{ login { devices { items { services(${args}) { id attributes(context: "night") } } } } }`)
  // The server compiles a document on its second use, and then writes the items directly from the rows.
  for (const args of ['', '(name: "x", state: "active", application: [22])', '(sort: "site")'])
    for (let use = 1; use <= 2; use++)
      await user.data(`{ login { devices { items { attributes(context: "night") services${args} { id name } } } } }`)
  const dates = 'minDate: "2000-01-01", maxDate: "2100-01-01", types: [DEVICE_STATE]'
  await user.data(
    `{ login { devices { items { events(${dates}) { total items { id } } } } events(${dates}) { total } } }`,
  )
  await user.data(`{ login { webhooks { deliveries(failed: true) { total items { id } } } } }`)
  await user.data(`{ login { webhooks { deliveries(failed: false, from: 2) { total items { id } } } } }`)
}

/** Signs in, because the authentication library sends many of the statements for a sign-in. */
async function signInToConsole(app: TestApp): Promise<void> {
  const person = await newPerson(app)
  const browser = await signIn(app, person)
  await browser.auth('/get-session')
  const authenticator = createAuthenticator({ origin: app.url })
  const options = (await browser.auth('/passkey/generate-register-options')).body
  await browser.auth('/passkey/verify-registration', { response: authenticator.register(options), name: 'laptop' })
  const { body } = await browser.auth('/two-factor/enable', { password: person.password })
  await browser.auth('/two-factor/verify-totp', { code: codeOf(body.totpURI) })
  const other = openBrowser(app)
  const passkeyOptions = (await other.auth('/passkey/generate-authenticate-options')).body
  const response = await other.auth('/passkey/verify-authentication', {
    response: authenticator.authenticate(passkeyOptions),
  })
  if (response.body.signedIn !== true)
    throw new Error(`sign-in with a passkey failed: ${JSON.stringify(response.body)}`)
  const third = openBrowser(app)
  await third.auth('/sign-in/email', { email: person.email, password: person.password })
  await third.auth('/two-factor/verify-backup-code', { code: body.backupCodes[0] })
  await other.auth('/sign-out', {})
}

async function sendDirectly(app: TestApp, own: OwnedObjects): Promise<string[]> {
  const errors: string[] = []
  for (const send of [...directCalls(own), ...directSignInCalls(own.userId)]) {
    const rollBack = new Error('roll back')
    const outcome = app.db.transaction().execute(async (transaction) => {
      await send(transaction)
      throw rollBack
    })
    await outcome.catch((error: unknown) => {
      if (error !== rollBack) errors.push(`${send}: ${error}`)
    })
  }
  return errors
}

/** Sends every operation except subscriptions. Removals run last. */
async function sendEveryOperation(user: TestUser, own: OwnedObjects): Promise<void> {
  const removes = ({ field }: FieldRequest): boolean => /^Mutation\.(delete|remove)/.test(field)
  const isSubscription = ({ field }: FieldRequest): boolean => field.startsWith('Subscription.')
  const requests = everyType(buildSchema()).filter((request) => !isSubscription(request))
  const { key: accessKey } = await newKey(user)
  const mine = { ...own, accessKey }
  const run = async (document: string): Promise<void> => void (await user.query(document))
  for (const call of Object.values(queryCalls))
    for (const each of Object.values(call.naming ?? {}).flat()) await run(each(mine, mine).document)
  for (const request of requests.filter((each) => !removes(each))) await run(request.document(mine))
  for (const request of requests.filter(removes).reverse()) await run(request.document(mine))
}
