import { performance } from 'node:perf_hooks'
import { connect } from 'mqtt'
import { openStream } from '../clients/event-stream.ts'
import type { RegisteredDevice } from '../clients/mqtt-device.ts'
import { restClient } from '../clients/rest.ts'
import { sendAs } from '../harness/server-process.ts'

export interface Installation {
  url: string
  credentials: Record<string, string>
  device: RegisteredDevice
}

/** `served`, `unavailable`, or a description of another result. */
export type Availability = string

/** Server entry points that depend on the database. */
export const entryPoints: Readonly<Record<string, (installation: Installation) => Promise<Availability>>> = {
  'signed query': (to) => operation(to, '{ login { devices(size: 1) { items { id } } } }'),
  'signed mutation': (to) =>
    operation(
      to,
      `mutation { setAttribute(serviceId: "${to.device.id}", name: "entryPoint", value: "${performance.now()}") }`,
    ),
  async REST({ url, credentials }) {
    const { status } = await restClient(url, userOf(credentials))('GET', '/user')
    return availabilityOf(status)
  },
  async stream({ url, credentials }) {
    const stream = await openStream({
      app: { url },
      user: userOf(credentials),
      query: 'subscription { events { id } }',
    })
    stream.cut()
    return availabilityOf(stream.status)
  },
  'sign-in': async ({ url, credentials }) =>
    availabilityOf(
      await post(`${url}/auth/sign-in/email`, {
        headers: { 'muster-session': '1' },
        body: { email: credentials.MUSTER_EMAIL, password: 'a wrong one' },
      }),
    ),
  report: async ({ url, device }) =>
    availabilityOf(
      await post(`${url}/devices/v1/report`, {
        headers: { authorization: `Basic ${btoa(`${device.id.replaceAll(':', '')}:${device.secret}`)}` },
        body: { attributes: { entryPoint: String(performance.now()) } },
      }),
    ),
  register: async ({ url }) =>
    availabilityOf(await post(`${url}/devices/v1/register`, { body: { code: 'x'.repeat(20), hardwareId: 'a' } })),
  async readyz({ url }) {
    const response = await fetch(`${url}/readyz`)
    await response.text()
    return availabilityOf(response.status)
  },
  'MQTT connect': ({ url, device: { id, secret } }) =>
    new Promise((resolve) => {
      const options = { clientId: id, username: id, password: secret, reconnectPeriod: 0, connectTimeout: 600_000 }
      const client = connect(`${url.replace('http', 'ws')}/mqtt`, options)
      const finish = (result: Availability): void => {
        client.end(true)
        resolve(result)
      }
      client.once('connect', () => finish('served'))
      // The CONNACK return code 3 means "server unavailable" (MQTT 3.1.1 §3.2.2.3).
      client.once('error', (error) => finish((error as { code?: unknown }).code === 3 ? 'unavailable' : error.message))
      client.once('close', () => finish('closed without an error'))
    }),
}

/** The statuses 401 and 429 count as served, because the requests above receive them only while the database works. */
function availabilityOf(status: number): Availability {
  if (status === 503) return 'unavailable'
  return [200, 401, 429].includes(status) ? 'served' : `status ${status}`
}

const userOf = ({ MUSTER_ACCESS_KEY_ID = '', MUSTER_SECRET_ACCESS_KEY = '' }: Record<string, string>) => ({
  accountId: '',
  email: '',
  keyId: MUSTER_ACCESS_KEY_ID,
  secret: MUSTER_SECRET_ACCESS_KEY,
  query: () => Promise.reject(new Error('query() is not available for this user: call sendAs() instead')),
  data: () => Promise.reject(new Error('data() is not available for this user: call sendAs() instead')),
})

async function operation({ url, credentials }: Installation, document: string): Promise<Availability> {
  const { status, body } = await sendAs(credentials, url, document)
  return status === 200 && body.errors !== undefined ? JSON.stringify(body.errors) : availabilityOf(status)
}

async function post(
  url: string,
  { headers = {}, body }: { headers?: Record<string, string>; body: object },
): Promise<number> {
  const allHeaders = { 'content-type': 'application/json', ...headers }
  const response = await fetch(url, { method: 'POST', headers: allHeaders, body: JSON.stringify(body) })
  await response.text()
  return response.status
}
