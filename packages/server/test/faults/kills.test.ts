import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../api/webhooks.ts'
import { isGenuine, type Received, startReceiver } from '../harness/webhook-receiver.ts'
import { check, executeOperation } from './checker.ts'
import { commitFigures, readCommits } from './commits.ts'
import { figures } from './figures.ts'
import { openLedger } from './ledger.ts'
import { openRig } from './rig.ts'
import { startWriters } from './writers.ts'

/** The number of kills. `run.ts` sets this number. In `npm test`, it is small. */
const kills = Number(process.env.FAULTS_KILLS ?? 3)
const isFullRun = process.env.FAULTS_KILLS !== undefined
/** Several clients write to each device, so that queued changes share statements and commits. */
const DEVICES = isFullRun ? 8 : 2
const PER_DEVICE = isFullRun ? 8 : 4

/** The test starts servers several times, which takes a long time on a slow machine. */
const longTimeout = { timeout: isFullRun ? 0 : 600_000 }

it(
  'keeps acknowledged changes, events, and webhook messages when servers and PostgreSQL are killed',
  longTimeout,
  async () => {
    const rig = await openRig({ servers: isFullRun ? 2 : 1 })
    const ledger = openLedger(join(rig.folder, 'ledger'))
    onTestFinished(() => ledger.close())
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const taken: Received[] = []
    const forged: Received[] = []
    let secret = ''
    receiver.respondWith((message, response) => {
      // Verify the message now, because its signature expires.
      if (!isGenuine(secret, message)) forged.push(message)
      // Reject a fifth of the messages, so that the server must send them again.
      const choice = randomInt(10)
      if (choice === 0) return response.writeHead(500).end()
      if (choice === 1) return response.destroy()
      taken.push(message)
      response.end()
    })
    const events = '[ATTRIBUTE_CHANGE, DEVICE_REGISTER]'
    const webhook = await executeOperation(
      rig,
      `mutation { createWebhook(url: "${receiver.url}", events: ${events}) { secret } }`,
    )
    secret = webhook.createWebhook.secret
    const devices: string[] = []
    for (let index = 0; index < DEVICES; index++) {
      devices.push(
        (await executeOperation(rig, 'mutation { registerDevice(name: "target") { device { id } } }')).registerDevice
          .device.id,
      )
    }

    const writers = await startWriters(rig, ledger, { devices, perDevice: PER_DEVICE, firstNumber: 1 })
    // Wait until several changes to one device share a commit.
    await pollUntil(
      () => readCommits(rig.database.url),
      ({ sameDevice }) => sameDevice > 0,
    )
    const killed = { servers: 0, database: 0 }
    for (let kill = 0; kill < kills; kill++) {
      // Wait for further changes, so that every kill interrupts busy servers.
      await writers.acknowledged(isFullRun ? 100 : 10)
      await sleep(randomInt(isFullRun ? 1_000 : 200))
      if (kill % 2 === 0) {
        await rig.database.kill()
        killed.database++
      } else {
        await rig.killServer()
        killed.servers++
      }
      if (isFullRun && kill % 10 === 9) console.log(`${kill + 1} kills`)
    }
    await writers.acknowledged(10)
    await writers.stop()
    const entries = await ledger.read()
    const findings = await check(rig, entries)
    const { acknowledged, unknown, lost, doubled } = findings
    figures('kills', {
      'of servers': killed.servers,
      'of PostgreSQL, with all its processes at the same time': killed.database,
      'changes sent': entries.length,
      'changes acknowledged': acknowledged,
      'with unknown outcome': unknown,
      'acknowledged and lost': lost.length + findings.overwritten.length,
      'applied twice': doubled.length,
    })
    figures('commits', commitFigures(await readCommits(rig.database.url)))
    expect(findings).toMatchObject({ lost: [], doubled: [], overwritten: [], unexpected: 0 })
    expect(acknowledged).toBeGreaterThan(10 * kills)

    const deliveredEvents = (): Set<string> => new Set(taken.map(({ body }) => body.data.id))
    const undelivered = (): string[] => {
      const delivered = deliveredEvents()
      return findings.events.filter((id) => !delivered.has(id))
    }
    await pollUntil(
      async () => undelivered(),
      (missing) => missing.length === 0,
    )
    expect(forged).toEqual([])
    // Every attempt to send a message must use the same ID and the same bytes, so that receivers recognize the message.
    const sent = Map.groupBy(receiver.received, ({ body }) => body.data.id)
    const differing = [...sent.values()].filter((each) => new Set(each.map(({ id, text }) => `${id} ${text}`)).size > 1)
    expect(differing).toEqual([])
    figures('webhook', {
      events: findings.events.length,
      'never delivered': undelivered().length,
      'requests to the receiver': receiver.received.length,
    })

    // Verify that the check can find lost changes: with asynchronous commits, killing PostgreSQL loses acknowledged
    // changes.
    await rig.database.kill({ synchronous_commit: 'off', wal_buffers: '16MB', bgwriter_lru_maxpages: '0' })
    await rig.database.stopWritingLog()
    const unsafeWriters = await startWriters(rig, ledger, {
      devices,
      perDevice: PER_DEVICE,
      firstNumber: entries.length + 1,
    })
    await unsafeWriters.acknowledged(50)
    await rig.database.kill()
    await unsafeWriters.stop()
    const after = await check(rig, await ledger.read())
    figures('asynchronous commits', {
      'changes acknowledged': after.acknowledged - acknowledged,
      'found to be lost': after.lost.length,
    })
    expect(after.lost.length).toBeGreaterThan(0)
  },
)
