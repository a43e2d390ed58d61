import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { signRequest } from '@muster/http-signature'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../api/webhooks.ts'
import { openBrowser } from '../clients/browser.ts'
import { connectMqtt } from '../clients/mqtt-device.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { readCredentials, startServerProcess } from '../harness/server-process.ts'
import { startReceiver } from '../harness/webhook-receiver.ts'
import { figures } from './figures.ts'

const HOUR = 3_600
const longTimeout = { timeout: 600_000 }

interface TestResponse {
  data?: {
    login: { device: { state: string }[] }
    registerDevice: { device: { id: string }; secret: string }
  }
  errors?: { extensions: { code: string; reason?: string } }[]
}

interface SignatureOptions {
  /** The offset of the signature's time from the current time, in seconds. */
  at?: number
  nonce?: string
}

it(
  'checks signatures, nonces, sessions, and limits correctly when the clock jumps by an hour or two',
  longTimeout,
  async () => {
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

    const sign = ({ at = 0, nonce }: SignatureOptions, query: string) => {
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
      const { data, errors } = (await response.json()) as TestResponse
      return {
        status: response.status,
        data,
        reason: errors?.[0]?.extensions.reason,
        code: errors?.[0]?.extensions.code,
      }
    }
    const sendQuery = (options: SignatureOptions, query = '{ login { id } }') =>
      pollUntil(
        () => send(sign(options, query)),
        ({ status }) => status !== 429,
      )
    const checks: { offset: string; status: number; expected: number }[] = []
    const check = async (clock: number, at: number, expected: number): Promise<void> => {
      const { status } = await sendQuery({ at })
      checks.push({ offset: `${at} with the clock at ${clock}`, status, expected })
    }
    /**
     * Returns a signed request that the server has accepted, so its nonce is used up. A rate-limited request also uses
     * up its nonce, so each attempt has a new nonce.
     */
    const useNonce = async (at: number): Promise<ReturnType<typeof sign>> => {
      const { signed, status } = await pollUntil(
        async () => {
          const signed = sign({ at, nonce: randomUUID() }, '{ login { id } }')
          return { signed, ...(await send(signed)) }
        },
        (response) => response.status !== 429,
      )
      expect(status).toBe(200)
      return signed
    }
    const replays: { status: number; reason: string | undefined }[] = []
    const replay = async (signed: ReturnType<typeof sign>): Promise<void> => {
      const response = pollUntil(
        () => send(signed),
        ({ status }) => status !== 429,
      )
      replays.push(await response)
    }
    const setClock = async (seconds: number): Promise<void> => {
      const [file, shift] = [join(folder, 'shift'), String(seconds * 1_000)]
      await writeFile(file, shift)
      server.signal('SIGUSR2')
      await pollUntil(
        () => readFile(`${file}.done`, 'utf8').catch(() => ''),
        (done) => done === shift,
      )
    }

    const { data } = await sendQuery(
      {},
      `mutation { registerDevice(name: "gateway") { device { id } secret } createWebhook(url: "${receiver.url}", events: [ATTRIBUTE_CHANGE]) { id } }`,
    )
    const { device, secret } = data!.registerDevice
    await connectMqtt(`${server.url.replace('http', 'ws')}/mqtt`, { id: device.id, secret })
    const stateQuery = `{ login { device(id: ["${device.id}"]) { state } } }`
    const waitUntilActive = (at: number) =>
      pollUntil(
        () => sendQuery({ at }, stateQuery),
        (response) => response.data?.login.device[0]?.state === 'active',
      )
    await waitUntilActive(0)
    const browser = openBrowser(server)
    const { MUSTER_EMAIL: email, MUSTER_PASSWORD: password } = credentials
    expect((await browser.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })
    // Sign with a future time, so that the signatures do not expire before a slow machine finishes the test.
    const used = [await useNonce(250)]

    // Reject every message once. The server must soon send each message again, exactly once.
    const rejected = new Map<string, number>()
    const waits: number[] = []
    receiver.respondWith(({ id }, response) => {
      const at = rejected.get(id)
      if (at !== undefined) waits.push(performance.now() - at)
      else rejected.set(id, performance.now())
      response.writeHead(at === undefined ? 500 : 200).end()
    })
    const delivered = async (at: number): Promise<void> => {
      const from = receiver.received.length
      await sendQuery(
        { at },
        `mutation { setAttribute(serviceId: "${device.id}", name: "clock", value: "${at}, ${from}") }`,
      )
      const [first, second] = (await receiver.waitFor(from + 2)).slice(from)
      expect(second!.id).toBe(first!.id)
    }

    const same = `setAttribute(serviceId: "${device.id}", name: "none", value: null)`
    const clocks = [HOUR, -HOUR, 0]
    for (const seconds of clocks) {
      await setClock(seconds)
      // After the jump ahead, this nonce causes the server to delete expired nonces.
      used.push(await useNonce(seconds + 250))
      await replay(used.at(-1)!)
      for (const offset of [-400, 400]) await check(seconds, seconds + offset, 401)
      for (const offset of [-200, 200]) await check(seconds, seconds + offset, 200)
      await check(seconds, seconds === 0 ? HOUR : 0, 401)
      await waitUntilActive(seconds)
      const fromConsole = await pollUntil(
        () => browser.query('{ login { id } }'),
        ({ status }) => status !== 429,
      )
      expect(fromConsole.status).toBe(200)
      await delivered(seconds)
      // Use up the quota, which must refill even though the clock jumped.
      const expensive = `mutation { ${Array.from({ length: 15 }, (_, at) => `m${at}: ${same}`).join(' ')} }`
      await pollUntil(
        // Together, these operations cost more than the quota plus the points that refill meanwhile on a slow machine.
        () => Promise.all(Array.from({ length: 8 }, () => send(sign({ at: seconds }, expensive)))),
        (responses) => responses.some(({ status }) => status === 429),
      )
      expect((await sendQuery({ at: seconds })).status).toBe(200)
    }
    // Only the first and the last signature have times close to the current time. The others fail with `clock-skew`.
    for (const signed of used) await replay(signed)
    const messages = new Set(receiver.received.map(({ id }) => id))
    figures('clock', {
      'jumps by an hour or two': clocks.length,
      'signatures checked': checks.length,
      'checked wrongly': checks.filter(({ status, expected }) => status !== expected).length,
      'used nonces sent again': replays.length,
      'used nonces accepted': replays.filter(({ status }) => status !== 401).length,
      'webhook messages rejected once': rejected.size,
      'longest time to the second attempt, ms': Math.round(Math.max(...waits)),
      'times that a rate limit was reached and refilled': clocks.length,
    })
    expect(checks.map(({ offset, status }) => [offset, status])).toEqual(
      checks.map(({ offset, expected }) => [offset, expected]),
    )
    const expired = 'clock-skew'
    expect(replays.map(({ status, reason }) => [status, reason])).toEqual(
      [...clocks.map(() => 'nonce-used'), 'nonce-used', expired, expired, 'nonce-used'].map((each) => [401, each]),
    )
    // Each of the three changes caused only one message, which the server sent twice.
    expect(messages.size).toBe(3)
  },
)
