import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../api/webhooks.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../database/database-proxy.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { readCredentials, type SignedResponse, sendAs, startServerProcess } from '../harness/server-process.ts'
import { check, executeOperation } from './checker.ts'
import { commitFigures, readCommits } from './commits.ts'
import { figures } from './figures.ts'
import { openLedger } from './ledger.ts'
import { openRig } from './rig.ts'
import { breakSharedStatement } from './shared-statement.ts'
import { startWriters } from './writers.ts'

/** The number of connections to break under load. `run.ts` sets this number, and `npm test` breaks none. */
const cuts = Number(process.env.FAULTS_CUTS ?? 0)
const longTimeout = { timeout: 600_000 }

it('reports whether the outcome is known when a database connection breaks', longTimeout, async () => {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-cuts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const proxy = await startDatabaseProxy(database.connection)
  const server = await startServerProcess({ DATABASE_URL: proxy.url, MUSTER_DATA: folder })
  const credentials = await readCredentials(folder)
  const send = (document: string): Promise<SignedResponse> => sendAs(credentials, server.url, document)
  /** Retries until the response has the status 200, and returns its data. */
  const data = async (document: string) =>
    (
      await pollUntil(
        () => send(document),
        ({ status }) => status === 200,
      )
    ).body.data

  const { registerDevice } = await data(
    'mutation { registerDevice(name: "target", hardwareId: "to be cut") { device { id } } }',
  )
  const { id } = registerDevice.device
  const set = (args: string) => `mutation { setAttributes(serviceId: "${id}", ${args}) }`
  const attributes = (args = '') => `{ login { devices(hardwareId: "to be cut") { items { attributes${args} } } } }`
  const stored = async (args = '') => (await data(attributes(args))).login.devices.items[0].attributes
  const value = 'x'.repeat(15_000)
  await data(set(`attributes: { big: "${value}", bigger: "${value}" }`))

  // If the connection breaks while a result arrives, the server sends no partial response.
  proxy.cutAt(['to be cut'], 10_000)
  expect(await send(attributes())).toMatchObject({
    status: 503,
    body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] },
  })
  expect(await stored()).toEqual({ big: value, bigger: value })

  // If the connection breaks during a change, the response reports an unknown outcome.
  const long = (text: string) => set(`attributes: { cut: "${text}", too: "${text}" }, context: "night"`)
  const short = (text: string) => `mutation { setAttribute(serviceId: "${id}", name: "cut", value: "${text}") }`
  for (const moment of ['before', 'after'] as const) {
    const isStored = moment === 'after'
    const unknown = { extensions: { code: 'UNAVAILABLE', outcome: 'unknown' } }
    proxy.cutAt(['of a transaction', 'commit\0'], moment)
    expect(await send(long('of a transaction'))).toMatchObject({ status: 503, body: { errors: [unknown] } })
    const { cut, too } = await stored('(context: "night")')
    expect([cut, too]).toEqual(isStored ? ['of a transaction', 'of a transaction'] : [undefined, undefined])

    proxy.cutAt(['of one statement'], moment)
    expect(await send(short('of one statement'))).toMatchObject({ status: 503, body: { errors: [unknown] } })
    expect((await stored()).cut).toBe(isStored ? 'of one statement' : undefined)
  }

  // If the connection breaks during a statement with several changes, all of them have the same outcome, and no other
  // change is lost.
  const other = (await data('mutation { registerDevice(name: "other") { device { id } } }')).registerDevice.device.id
  for (const moment of ['before', 'after'] as const)
    await breakSharedStatement({ proxy, send, data, devices: [id, other], moment })

  // If the connection breaks during a read, the response does not report an unknown outcome.
  proxy.cutAt(['to be cut'], 'before')
  const { body } = await send(attributes())
  expect(body.errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE' })
  expect(body.errors[0].extensions.outcome).toBeUndefined()
})

if (cuts > 0)
  it('loses no change when database connections break under load', { timeout: 0 }, async () => {
    let proxy: DatabaseProxy | undefined
    const connectThrough = async (connectionString: string) => {
      proxy = await startDatabaseProxy({ connectionString })
      return proxy.url
    }
    const rig = await openRig({ connectThrough })
    const ledger = openLedger(join(rig.folder, 'ledger'))
    onTestFinished(() => ledger.close())
    const registered = 'mutation { registerDevice(name: "target") { device { id } } }'
    const devices: string[] = []
    for (let index = 0; index < 6; index++)
      devices.push((await executeOperation(rig, registered)).registerDevice.device.id)
    const writers = await startWriters(rig, ledger, { devices, perDevice: 4, firstNumber: 1 })
    for (let cut = 0; cut < cuts; cut++) {
      await writers.acknowledged(5)
      await sleep(randomInt(50))
      proxy!.cutAny()
    }
    await writers.acknowledged(20)
    await writers.stop()
    const findings = await check(rig, await ledger.read())
    const { acknowledged, unknown, lost, doubled, overwritten } = findings
    figures(`${cuts} connections to PostgreSQL cut`, {
      'changes acknowledged': acknowledged,
      'with unknown outcome': unknown,
      lost: lost.length + overwritten.length,
      'applied twice': doubled.length,
      ...commitFigures(await readCommits(rig.database.url)),
    })
    expect(findings).toMatchObject({ lost: [], doubled: [], overwritten: [], unexpected: 0 })
  })
