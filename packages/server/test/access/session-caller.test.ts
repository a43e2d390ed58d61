import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/auth/sessions/password.ts'
import { query } from '../../src/db/database.ts'
import { startTestApp, type TestApp } from '../harness/app.ts'
import { type Browser, signIn } from '../clients/browser.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import {
  type Belongings,
  everyRowOf,
  giveBelongings,
  madeUpBelongings,
  receiversAllowed,
  startRefusingReceiver,
  untilUseIsWritten,
} from './belongings.ts'
import { mutationCalls } from './mutation-calls.ts'
import { queryCalls } from './query-calls.ts'

let app: TestApp
let receiver: Receiver
let victim: Belongings
let untouched: Record<string, unknown[]>
let own: Belongings
let browser: Browser
beforeAll(async () => {
  app = await startTestApp({ env: receiversAllowed })
  receiver = await startRefusingReceiver()
  // Numbers of events that stand in no other text by chance.
  await query(app.db, 'select setval($1, $2)', ['event_id', 70_000_000_000])
  victim = await giveBelongings(app.owner, receiver)
  const intruder = await app.createUser()
  own = await giveBelongings(intruder, receiver)
  const password = 'a password of the intruder'
  const password_hash = await hashPassword(password)
  await app.db.updateTable('account').set({ password_hash }).where('id', '=', intruder.accountId).execute()
  browser = await signIn(app, { id: intruder.accountId, email: intruder.email, password })
  await untilUseIsWritten(app.db, app.owner.keyId)
  untouched = await everyRowOf(app.db, victim.userId)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const nobody = madeUpBelongings({ deviceCursor: '', eventCursor: '', deliveryCursor: '' })

/** Everything that names what belongs to somebody, and is not there for anybody else. */
const attempts = Object.entries({ ...queryCalls, ...mutationCalls }).flatMap(([call, { naming = {} }]) =>
  Object.entries(naming).flatMap(([argument, tries]) =>
    [tries].flat().flatMap((attempt, index) => {
      const isNotFound = attempt(nobody, nobody).outcome === 'NOT_FOUND'
      return isNotFound ? [{ name: `${call}, ${argument}, ${index}`, attempt }] : []
    }),
  ),
)

describe('another user with a session', () => {
  it.each(attempts)('gets nowhere with $name', async ({ attempt }) => {
    const { document } = attempt(victim, own)
    const { status, body } = await browser.query(document)
    expect(status).toBe(200)
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
    expect(await everyRowOf(app.db, victim.userId)).toEqual(untouched)
  })

  it('is let in at all', async () => {
    const { body } = await browser.query('{ login { id } }')
    expect(body).toEqual({ data: { login: { id: own.userId } } })
  })
})
