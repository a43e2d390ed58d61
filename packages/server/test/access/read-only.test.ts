import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { startTestApp, type TestApp } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { rowsWithoutUsage } from './account-rows.ts'
import { type Signer, send } from './installation.ts'
import { mutationCalls } from './mutation-calls.ts'
import { allowLocalWebhooks, createOwnedObjects, type OwnedObjects, startFailingReceiver } from './owned-objects.ts'
import { queryCalls } from './query-calls.ts'

let app: TestApp
let receiver: Receiver
let own: OwnedObjects
let reader: Signer
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  own = await createOwnedObjects(app.owner, receiver)
  const { createAccessKey } = await app.owner.data('mutation { createAccessKey(readOnly: true) { key secret } }')
  const secret = Buffer.from(createAccessKey.secret, 'base64')
  reader = { keyId: createAccessKey.key, key: { algorithm: 'hmac-sha256', secret } }
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

it.each(Object.entries(queryCalls))('accepts a query of %s with a read-only key', async (_name, { plain }) => {
  const { status, body } = await send(app.url, reader, plain(own))
  expect(status).toBe(200)
  expect(body.errors).toBeUndefined()
})

it.each(Object.keys(buildSchema().getMutationType()?.getFields() ?? {}))(
  'rejects %s with a read-only key without changing anything',
  async (field) => {
    const { plain } = mutationCalls[`Mutation.${field}`]!
    const before = await rowsWithoutUsage(app.db, own.userId)
    const { status, body } = await send(app.url, reader, plain(own))
    expect(status).toBe(200)
    expect(body.data).toBeNull()
    expect(body.errors).toMatchObject([{ path: [field], extensions: { code: 'FORBIDDEN' } }])
    expect(await rowsWithoutUsage(app.db, own.userId)).toEqual(before)
    expect(receiver.received).toHaveLength(1)
  },
)
