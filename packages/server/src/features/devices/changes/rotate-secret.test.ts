import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import {
  newHardwareId,
  type RegistrationClient,
  registrationClient,
  rotate,
} from '../../../../test/api/device-registration.ts'
import { errorOf } from '../../../../test/clients/http-device.ts'
import { atDatabase } from '../../../../test/global-setup.ts'
import { startTestApp } from '../../../../test/harness/app.ts'
import { deviceChannel } from './send-recheck-notifications.queries.ts'

let registrations: RegistrationClient

beforeAll(async () => {
  registrations = registrationClient(await startTestApp())
})
afterAll(() => registrations.app.close())

async function listen(channel: string): Promise<(string | undefined)[]> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(registrations.app.db)
  const client = new pg.Client(atDatabase(inject('testDatabase').connection, rows[0]!.name))
  onTestFinished(() => client.end())
  const payloads: (string | undefined)[] = []
  client.on('notification', ({ payload }) => payloads.push(payload))
  await client.connect()
  await client.query(`listen ${channel}`)
  return payloads
}

describe('rotateDeviceSecret', () => {
  test('creates a new secret, invalidates the old one immediately, and notifies all processes', async () => {
    const payloads = await listen(deviceChannel)
    const { deviceId, secret } = (
      await registrations.register({ code: (await registrations.newCode()).code, hardwareId: newHardwareId() })
    ).body
    const { rotateDeviceSecret } = await registrations.owner.data(rotate, { id: deviceId })
    expect([
      await registrations.canReport(deviceId, secret),
      await registrations.canReport(deviceId, rotateDeviceSecret.secret),
    ]).toEqual([false, true])
    while (payloads.length === 0) await sleep(10)
    expect(payloads).toEqual([deviceId])
  })

  test('revokes an earlier permission to register again and records each rotation', async () => {
    const { code } = await registrations.newCode({ uses: 2 })
    const hardwareId = newHardwareId()
    const { deviceId } = (await registrations.register({ code, hardwareId })).body
    await registrations.owner.data(rotate, { id: deviceId, allow: true })
    await registrations.owner.data(rotate, { id: deviceId })
    expect(errorOf(await registrations.register({ code, hardwareId }))[0]).toBe(409)
    const { login } = await registrations.owner.data(
      'query ($id: [String!]) { login { events(deviceId: $id, types: [DEVICE_SECRET_ROTATE]) { items { data actor { id } } } } }',
      { id: [deviceId] },
    )
    const actor = { id: registrations.owner.accountId }
    expect(login.events.items).toEqual([
      { data: { allow: false }, actor },
      { data: { allow: true }, actor },
    ])
  })

  test("returns NOT_FOUND for another user's device", async () => {
    const other = await registrations.app.createUser()
    const { deviceId, secret } = (
      await registrations.register({ code: (await registrations.newCode()).code, hardwareId: newHardwareId() })
    ).body
    expect((await other.query(rotate, { id: deviceId })).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    expect(await registrations.canReport(deviceId, secret)).toBe(true)
  })
})
