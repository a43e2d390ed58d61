import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { signRequest } from '@muster/http-signature'
import { expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../clients/browser.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { pollUntil } from '../api/webhooks.ts'
import { connectMqtt } from '../clients/mqtt-device.ts'
import { startReceiver } from '../harness/webhook-receiver.ts'
import { readCredentials, startServerProcess } from '../harness/server-process.ts'
import { figures } from './figures.ts'

const HOUR = 3_600
const patience = { timeout: 600_000 }

/** As far as it is looked at. */
interface Answer {
  data?: {
    login: { device: { state: string }[] }
    registerDevice: { device: { id: string }; secret: string }
  }
  errors?: { extensions: { code: string; reason?: string } }[]
}

interface Signed {
  /** Seconds by which the signature's time is off from ours. */
  at?: number
  nonce?: string
}

it('the clock of a server that jumps by an hour, ahead and back, misleads nobody', patience, async () => {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-clock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { connectionString = '' } = database.connection
  const server = await startServerProcess({
    DATABASE_URL: connectionString,
    MUSTER_DATA: folder,
    MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
    MUSTER_WEBHOOK_RETRIES: '1,1,1,1,1',
    MUSTER_KEY_POINTS: '100',
    MUSTER_KEY_POINTS_PER_SECOND: '5',
    NODE_OPTIONS: `--import=${new URL('shifted-clock.ts', import.meta.url).href}`,
    SHIFT_FILE: join(folder, 'shift'),
  })
  const credentials = await readCredentials(folder)

  const sign = ({ at = 0, nonce }: Signed, query: string) => {
    const url = `${server.url}/graphql/v1`
    const body = JSON.stringify({ query })
    const headers = { 'content-type': 'application/json' }
    const signature = signRequest({
      keyId: credentials.MUSTER_ACCESS_KEY_ID ?? '',
      key: { algorithm: 'hmac-sha256', secret: Buffer.from(credentials.MUSTER_SECRET_ACCESS_KEY ?? '', 'base64') },
      method: 'POST',
      url,
      headers,
      body,
      created: Math.floor(Date.now() / 1_000) + at,
      ...(nonce && { nonce }),
    })
    return { url, method: 'POST', body, headers: { ...headers, ...signature } }
  }
  const send = async ({ url, ...request }: ReturnType<typeof sign>) => {
    const response = await fetch(url, request)
    const { data, errors } = (await response.json()) as Answer
    return { status: response.status, data, reason: errors?.[0]?.extensions.reason, code: errors?.[0]?.extensions.code }
  }
  /** Once there are points for it. */
  const ask = (signed: Signed, query = '{ login { id } }') =>
    pollUntil(
      () => send(sign(signed, query)),
      ({ status }) => status !== 429,
    )
  const judged: { off: string; status: number; wanted: number }[] = []
  const judge = async (clock: number, at: number, wanted: number): Promise<void> => {
    const { status } = await ask({ at })
    judged.push({ off: `${at} by a clock at ${clock}`, status, wanted })
  }
  /** One that was accepted, with a nonce, which is used up as well where there are no points. */
  const useNonce = async (at: number): Promise<ReturnType<typeof sign>> => {
    const { signed, status } = await pollUntil(
      async () => {
        const signed = sign({ at, nonce: randomUUID() }, '{ login { id } }')
        return { signed, ...(await send(signed)) }
      },
      (answer) => answer.status !== 429,
    )
    expect(status).toBe(200)
    return signed
  }
  const replays: { status: number; reason: string | undefined }[] = []
  const replay = async (signed: ReturnType<typeof sign>): Promise<void> => {
    const answer = pollUntil(
      () => send(signed),
      ({ status }) => status !== 429,
    )
    replays.push(await answer)
  }
  const setClock = async (seconds: number): Promise<void> => {
    const [file, text] = [join(folder, 'shift'), String(seconds * 1_000)]
    await writeFile(file, text)
    server.signal('SIGUSR2')
    await pollUntil(
      () => readFile(`${file}.done`, 'utf8').catch(() => ''),
      (done) => done === text,
    )
  }

  const { data } = await ask(
    {},
    `mutation { registerDevice(name: "gateway") { device { id } secret } createWebhook(url: "${receiver.url}", events: [ATTRIBUTE_CHANGE]) { id } }`,
  )
  const { device, secret } = data!.registerDevice
  await connectMqtt(`${server.url.replace('http', 'ws')}/mqtt`, { id: device.id, secret })
  const seen = `{ login { device(id: ["${device.id}"]) { state } } }`
  const untilActive = (at: number) =>
    pollUntil(
      () => ask({ at }, seen),
      (answer) => answer.data?.login.device[0]?.state === 'active',
    )
  await untilActive(0)
  const browser = openBrowser(server)
  const { MUSTER_EMAIL: email, MUSTER_PASSWORD: password } = credentials
  expect((await browser.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })
  // Ahead, so that a slow machine comes to the end before they are too old.
  const used = [await useNonce(250)]

  // Every message is refused once, and must come again soon, once.
  const refused = new Map<string, number>()
  const waits: number[] = []
  receiver.respondWith(({ id }, response) => {
    const at = refused.get(id)
    if (at !== undefined) waits.push(performance.now() - at)
    else refused.set(id, performance.now())
    response.writeHead(at === undefined ? 500 : 200).end()
  })
  const delivered = async (at: number): Promise<void> => {
    const from = receiver.received.length
    await ask({ at }, `mutation { setAttribute(serviceId: "${device.id}", name: "clock", value: "${at}, ${from}") }`)
    const [first, second] = (await receiver.waitFor(from + 2)).slice(from)
    expect(second!.id).toBe(first!.id)
  }

  const same = `setAttribute(serviceId: "${device.id}", name: "none", value: null)`
  const clocks = [HOUR, -HOUR, 0]
  for (const seconds of clocks) {
    await setClock(seconds)
    // Which has it forget nonces that are out of date.
    used.push(await useNonce(seconds + 250))
    await replay(used.at(-1)!)
    for (const off of [-400, 400]) await judge(seconds, seconds + off, 401)
    for (const off of [-200, 200]) await judge(seconds, seconds + off, 200)
    await judge(seconds, seconds === 0 ? HOUR : 0, 401)
    await untilActive(seconds)
    expect((await browser.query('{ login { id } }')).status).toBe(200)
    await delivered(seconds)
    // Budgets run out, and are there again though the clock went back.
    const dear = `mutation { ${Array.from({ length: 15 }, (_, at) => `m${at}: ${same}`).join(' ')} }`
    await pollUntil(
      // Together they are for more than there ever is, however slow the machine.
      () => Promise.all(Array.from({ length: 8 }, () => send(sign({ at: seconds }, dear)))),
      (answers) => answers.some(({ status }) => status === 429),
    )
    expect((await ask({ at: seconds })).status).toBe(200)
  }
  // The first, and that of the clock as it is now, are not out of date.
  for (const signed of used) await replay(signed)
  const messages = new Set(receiver.received.map(({ id }) => id))
  figures('clock', {
    'jumps by an hour or two': clocks.length,
    'signatures judged': judged.length,
    'judged wrongly': judged.filter(({ status, wanted }) => status !== wanted).length,
    'used nonces sent again': replays.length,
    'of them accepted': replays.filter(({ status }) => status !== 401).length,
    'webhook messages refused once': refused.size,
    'longest until the second attempt, ms': Math.round(Math.max(...waits)),
    'times that points ran out and came again': clocks.length,
  })
  expect(judged.map(({ off, status }) => [off, status])).toEqual(judged.map(({ off, wanted }) => [off, wanted]))
  const outOfDate = 'clock-skew'
  expect(replays.map(({ status, reason }) => [status, reason])).toEqual(
    [...clocks.map(() => 'nonce-used'), 'nonce-used', outOfDate, outOfDate, 'nonce-used'].map((each) => [401, each]),
  )
  // Nothing was told twice, but what was refused.
  expect(messages.size).toBe(3)
})
