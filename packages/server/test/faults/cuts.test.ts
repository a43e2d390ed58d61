import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../database/test-database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../database/database-proxy.ts'
import { pollUntil } from '../api/webhooks.ts'
import { readCredentials, type SignedResponse, sendAs, startServerProcess } from '../harness/server-process.ts'
import { ask, check } from './checker.ts'
import { commitFigures, readCommits } from './commits.ts'
import { figures } from './figures.ts'
import { openLedger } from './ledger.ts'
import { openRig } from './rig.ts'
import { cutShared } from './shared-cut.ts'
import { startWriters } from './writers.ts'

/** By hand: connections that are cut while clients are at work. */
const cuts = Number(process.env.FAULTS_CUTS ?? 0)
const patience = { timeout: 600_000 }

it('a connection to the database that breaks in the middle', patience, async () => {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-cuts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const gate = await startDatabaseProxy(database.connection)
  const server = await startServerProcess({ DATABASE_URL: gate.url, MUSTER_DATA: folder })
  const credentials = await readCredentials(folder)
  const send = (document: string): Promise<SignedResponse> => sendAs(credentials, server.url, document)
  /** The data, once the server is itself again. */
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

  // Of an answer: no half of it goes out.
  gate.cutAt(['to be cut'], 10_000)
  expect(await send(attributes())).toMatchObject({
    status: 503,
    body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] },
  })
  expect(await stored()).toEqual({ big: value, bigger: value })

  // Of a change: it is there or not, and whoever sent it is told that this is not known.
  const long = (given: string) => set(`attributes: { cut: "${given}", too: "${given}" }, context: "night"`)
  const short = (given: string) => `mutation { setAttribute(serviceId: "${id}", name: "cut", value: "${given}") }`
  for (const moment of ['before', 'after'] as const) {
    const isThere = moment === 'after'
    const unknown = { extensions: { code: 'UNAVAILABLE', outcome: 'unknown' } }
    gate.cutAt(['of a transaction', 'commit\0'], moment)
    expect(await send(long('of a transaction'))).toMatchObject({ status: 503, body: { errors: [unknown] } })
    const { cut, too } = await stored('(context: "night")')
    expect([cut, too]).toEqual(isThere ? ['of a transaction', 'of a transaction'] : [undefined, undefined])

    gate.cutAt(['of one statement'], moment)
    expect(await send(short('of one statement'))).toMatchObject({ status: 503, body: { errors: [unknown] } })
    expect((await stored()).cut).toBe(isThere ? 'of one statement' : undefined)
  }

  // Of several changes that share a statement: so it is for all of them, and nobody else's is lost.
  const other = (await data('mutation { registerDevice(name: "other") { device { id } } }')).registerDevice.device.id
  for (const moment of ['before', 'after'] as const) await cutShared({ gate, send, data, devices: [id, other], moment })

  // Of what only reads, or was not sent yet, it is known.
  gate.cutAt(['to be cut'], 'before')
  const { body } = await send(attributes())
  expect(body.errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE' })
  expect(body.errors[0].extensions.outcome).toBeUndefined()
})

if (cuts > 0)
  it('connections that break while clients are at work lose nothing', { timeout: 0 }, async () => {
    let gate: DatabaseProxy | undefined
    const way = async (connectionString: string) => {
      gate = await startDatabaseProxy({ connectionString })
      return gate.url
    }
    const rig = await openRig({ way })
    const ledger = openLedger(join(rig.folder, 'ledger'))
    onTestFinished(() => ledger.close())
    const registered = 'mutation { registerDevice(name: "target") { device { id } } }'
    const devices: string[] = []
    for (let index = 0; index < 6; index++) devices.push((await ask(rig, registered)).registerDevice.device.id)
    const writers = await startWriters(rig, ledger, { devices, perDevice: 4, firstNumber: 1 })
    for (let cut = 0; cut < cuts; cut++) {
      await writers.acknowledged(5)
      await sleep(randomInt(50))
      gate!.cutAny()
    }
    await writers.acknowledged(20)
    await writers.stop()
    const findings = await check(rig, await ledger.read())
    const { acknowledged, unknown, lost, doubled, overwritten } = findings
    figures(`${cuts} connections to PostgreSQL cut`, {
      'changes acknowledged': acknowledged,
      'of unknown outcome': unknown,
      lost: lost.length + overwritten.length,
      'made twice': doubled.length,
      ...commitFigures(await readCommits(rig.database.url)),
    })
    expect(findings).toMatchObject({ lost: [], doubled: [], overwritten: [], foreign: 0 })
  })
