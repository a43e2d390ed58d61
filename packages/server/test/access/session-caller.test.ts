import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/auth/sessions/passwords/password.ts'
import { type Browser, signIn } from '../clients/browser.ts'
import { startTestApp, type TestApp } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { allRowsOf, waitForLastUsed } from './account-rows.ts'
import { mutationCalls } from './mutation-calls.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  nonexistentObjects,
  type OwnedObjects,
  startFailingReceiver,
} from './owned-objects.ts'
import { queryCalls } from './query-calls.ts'

let app: TestApp
let receiver: Receiver
let victim: OwnedObjects
let untouched: Record<string, unknown[]>
let own: OwnedObjects
let browser: Browser
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  victim = await createOwnedObjects(app.owner, receiver)
  const intruder = await app.createUser()
  own = await createOwnedObjects(intruder, receiver)
  const password = 'a password of the intruder'
  const password_hash = await hashPassword(password)
  await app.db.updateTable('account').set({ password_hash }).where('id', '=', intruder.accountId).execute()
  browser = await signIn(app, { id: intruder.accountId, email: intruder.email, password })
  await waitForLastUsed(app.db, app.owner.keyId)
  untouched = await rowsOfVictim()
})
/** Returns the victim's rows, except the usage counts of keys, which the server writes in the background. */
async function rowsOfVictim(): Promise<Record<string, unknown[]>> {
  const { key_use: _use, ...rows } = await allRowsOf(app.db, victim.userId)
  return rows
}

afterAll(async () => {
  await app.close()
  await receiver.close()
})

const placeholder = nonexistentObjects({ deviceCursor: '', eventCursor: '', deliveryCursor: '' })

/** The attempts on another user's object that must fail with NOT_FOUND. */
const attempts = Object.entries({ ...queryCalls, ...mutationCalls }).flatMap(([call, { naming = {} }]) =>
  Object.entries(naming).flatMap(([argument, tries]) =>
    [tries].flat().flatMap((attempt, index) => {
      const isNotFound = attempt(placeholder, placeholder).outcome === 'NOT_FOUND'
      return isNotFound ? [{ name: `${call}, ${argument}, ${index}`, attempt }] : []
    }),
  ),
)

describe('another user with a session', () => {
  it.each(attempts)('neither finds nor changes an object with $name', async ({ attempt }) => {
    const { document } = attempt(victim, own)
    const { status, body } = await browser.query(document)
    expect(status).toBe(200)
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
    expect(await rowsOfVictim()).toEqual(untouched)
  })

  it('is authenticated by the session', async () => {
    const { body } = await browser.query('{ login { id } }')
    expect(body).toEqual({ data: { login: { id: own.userId } } })
  })
})
