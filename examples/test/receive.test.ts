import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { sharedTestApp, type TestUser } from '../../packages/server/test/harness/app.ts'
import { hasProgram } from './programs.ts'

const app = sharedTestApp({ worker: true, env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.1' } })

interface Receiver {
  url: string
  line(): Promise<string>
}

async function startReceiver(program: string, file: string, secret: string): Promise<Receiver> {
  const path = new URL(`../${file}`, import.meta.url).pathname
  const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret }
  const child = spawn(program, [path, '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (!done) return value
    await ended
    throw new Error(`The receiver exited before it printed a line: ${stderr}`)
  }
  const url = /http:\S+/.exec(await line())?.[0]
  if (url === undefined) throw new Error('The receiver did not print its URL.')
  return { url, line }
}

const receivers = [
  { file: 'receive.mjs', program: process.execPath, canRun: true },
  { file: 'receive.py', program: 'python3', canRun: hasProgram('python3') },
]

describe.each(receivers)('$file', ({ file, program, canRun }) => {
  it.skipIf(!canRun)('does not start if the secret is empty', async () => {
    await expect(startReceiver(program, file, '')).rejects.toThrow('WEBHOOK_SECRET must be')
  })
})

describe.each(receivers)('$file', ({ file, program, canRun }) => {
  const runnable = it.skipIf(!canRun)
  let user: TestUser
  let webhook: { id: string; secret: string }
  let deviceId: string
  let receiver: Receiver

  beforeEach(async () => {
    user = await app.createUser()
    const { registerDevice } = await user.data('mutation { registerDevice(name: "gateway-1") { device { id } } }')
    deviceId = registerDevice.device.id
    // The receiver needs the secret when it starts, before the test knows the receiver's URL.
    const { createWebhook } = await user.data(
      'mutation { createWebhook(url: "http://127.0.0.1:1/", events: [ATTRIBUTE_CHANGE], enabled: false) { id secret } }',
    )
    webhook = createWebhook
    receiver = await startReceiver(program, file, webhook.secret)
    await user.data('mutation ($id: ID!, $url: String!) { updateWebhook(id: $id, url: $url, enabled: true) { id } }', {
      id: webhook.id,
      url: receiver.url,
    })
  })

  const setSite = (value: string) =>
    user.data('mutation ($id: String!, $value: String) { setAttribute(serviceId: $id, name: "site", value: $value) }', {
      id: deviceId,
      value,
    })
  const test = async () =>
    (await user.data('mutation ($id: ID!) { testWebhook(id: $id) { id httpStatus } }', webhook)).testWebhook

  runnable('prints the events of a webhook', async () => {
    await setSite('Ålesund')
    const line = await receiver.line()
    const [type, data] = [line.slice(0, line.indexOf(' ')), JSON.parse(line.slice(line.indexOf(' ')))]
    expect(type).toBe('attribute.change')
    expect(data).toMatchObject({ device: { id: deviceId }, changes: { site: { new: 'Ålesund' } } })
  })

  runnable('accepts a repeated message and handles it once', async () => {
    const { id } = await test()
    expect(await receiver.line()).toContain('webhook.test')
    const again = 'mutation ($id: ID!, $deliveryId: ID!) { redeliver(webhookId: $id, deliveryId: $deliveryId) }'
    expect(await user.data(again, { id: webhook.id, deliveryId: id })).toEqual({ redeliver: 1 })
    await expect.poll(() => attempts(id), { timeout: 60_000 }).toBe(2)
    await setSite('oslo')
    expect(await receiver.line()).toContain('attribute.change')
  })

  const attempts = async (deliveryId: string): Promise<unknown> => {
    const { login } = await user.data('{ login { webhooks { deliveries { items { id attempts status } } } } }')
    const delivery = login.webhooks[0].deliveries.items.find(({ id }: { id: string }) => id === deliveryId)
    return delivery.status === 'delivered' ? delivery.attempts : delivery.status
  }

  runnable('accepts the old secret during a rotation but not afterward', async () => {
    const rotate = 'mutation ($id: ID!, $overlap: Int) { rotateWebhookSecret(id: $id, overlap: $overlap) { id } }'
    await user.data(rotate, { id: webhook.id, overlap: 3600 })
    expect(await test()).toMatchObject({ httpStatus: 204 })
    await user.data(rotate, { id: webhook.id, overlap: 0 })
    expect(await test()).toMatchObject({ httpStatus: 401 })
  })

  runnable('rejects forged messages and still accepts genuine messages', async () => {
    const body = JSON.stringify({ type: 'device.state', timestamp: '2026-11-20T08:30:00Z', data: {} })
    const now = new Date()
    const genuine = sign(webhook.secret, now, body)
    const forged: Record<string, Record<string, string>> = {
      'no signature': {},
      'a signature with another secret': sign(`whsec_${'B'.repeat(43)}=`, now, body),
      'a signature of another body': sign(webhook.secret, now, '{}'),
      'an old signature': sign(webhook.secret, new Date(now.getTime() - 3_600_000), body),
      'a signature that is not base64': { ...genuine, 'webhook-signature': 'v1,ü' },
      'an invalid timestamp': { ...genuine, 'webhook-timestamp': 'soon' },
    }
    for (const [what, headers] of Object.entries(forged)) {
      expect((await fetch(receiver.url, { method: 'POST', headers, body })).status, what).toBe(401)
    }
    expect((await fetch(receiver.url, { method: 'POST', headers: genuine, body })).status).toBe(204)
    expect(await receiver.line()).toMatch(/^device\.state/)
  })
})

const sign = (secret: string, now: Date, body: string): Record<string, string> => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
})
