import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signRequest } from '@muster/http-signature'
import { expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../browser.ts'
import { createTestDatabase } from '../database.ts'
import { until } from '../hooks.ts'
import { signOn } from '../mqtt-device.ts'
import { startReceiver } from '../receiver.ts'
import { readCredentials, startServerProcess } from '../server-process.ts'

const HOUR = 3_600
const patience = { timeout: 600_000 }

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
    // biome-ignore lint/suspicious/noExplicitAny: what a document answers is known to its sender
    const { data, errors } = (await response.json()) as any
    return { status: response.status, data, reason: errors?.[0].extensions.reason, code: errors?.[0].extensions.code }
  }
  /** Once there are points for it. */
  const ask = (signed: Signed, query = '{ login { id } }') =>
    until(
      () => send(sign(signed, query)),
      ({ status }) => status !== 429,
    )
  const setClock = async (seconds: number): Promise<void> => {
    const [file, text] = [join(folder, 'shift'), String(seconds * 1_000)]
    await writeFile(file, text)
    server.signal('SIGUSR2')
    await until(
      () => readFile(`${file}.done`, 'utf8').catch(() => ''),
      (done) => done === text,
    )
  }

  const { data } = await ask(
    {},
    `mutation { registerDevice(name: "gateway") { device { id } secret } createWebhook(url: "${receiver.url}", events: [ATTRIBUTE_CHANGE]) { id } }`,
  )
  const { device, secret } = data.registerDevice
  await signOn(`${server.url.replace('http', 'ws')}/mqtt`, { id: device.id, secret })
  const seen = `{ login { device(id: ["${device.id}"]) { state } } }`
  const untilActive = (at: number) =>
    until(
      () => ask({ at }, seen),
      (answer) => answer.data.login.device[0].state === 'active',
    )
  await untilActive(0)
  const browser = openBrowser(server)
  const { MUSTER_EMAIL: email, MUSTER_PASSWORD: password } = credentials
  expect((await browser.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })
  // Ahead, so that a slow machine comes to the end before it is too old.
  const replayed = sign({ nonce: 'once', at: 250 }, '{ login { id } }')
  expect((await send(replayed)).status).toBe(200)

  // Every message is refused once, and must come again soon, once.
  const refused = new Set<string>()
  receiver.answer(({ id }, response) => {
    response.writeHead(refused.has(id) ? 200 : 500).end()
    refused.add(id)
  })
  const delivered = async (at: number): Promise<void> => {
    const from = receiver.received.length
    await ask({ at }, `mutation { setAttribute(serviceId: "${device.id}", name: "clock", value: "${at}, ${from}") }`)
    const [first, second] = (await receiver.waitFor(from + 2)).slice(from)
    expect(second!.id).toBe(first!.id)
  }

  const same = `setAttribute(serviceId: "${device.id}", name: "none", value: null)`
  for (const seconds of [HOUR, -HOUR, 0]) {
    await setClock(seconds)
    // Which has it forget nonces that are out of date.
    expect((await ask({ at: seconds, nonce: String(seconds) })).status).toBe(200)
    for (const off of [-400, 400]) expect((await ask({ at: seconds + off })).status).toBe(401)
    for (const off of [-200, 200]) expect((await ask({ at: seconds + off })).status).toBe(200)
    expect((await ask({ at: seconds === 0 ? HOUR : 0 })).status).toBe(401)
    await untilActive(seconds)
    expect((await browser.query('{ login { id } }')).status).toBe(200)
    await delivered(seconds)
    // Budgets run out, and are there again though the clock went back.
    const dear = `mutation { ${Array.from({ length: 15 }, (_, at) => `m${at}: ${same}`).join(' ')} }`
    await until(
      () => send(sign({ at: seconds }, dear)),
      ({ status }) => status === 429,
    )
    expect((await ask({ at: seconds })).status).toBe(200)
  }
  const again = await until(
    () => send(replayed),
    ({ status }) => status !== 429,
  )
  expect(again).toMatchObject({ status: 401, reason: 'nonce-used' })
  // Nothing was told twice, but what was refused.
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3)
})
