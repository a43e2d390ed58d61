import { connect } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { findDevice } from '../../test/api/device-details.ts'
import { registerDevice } from '../../test/clients/mqtt-device.ts'
import { startTestApp, type TestApp } from '../../test/harness/app.ts'
import { readConfig } from '../config.ts'
import { clientAddress } from './client-address.ts'

const { trustedProxies } = readConfig({ MUSTER_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1, 2001:db8:1::/48' })

function addressFrom(connection: string, headers: Record<string, string>, trusted = trustedProxies): string {
  const socket = { remoteAddress: connection } as Parameters<ReturnType<typeof clientAddress>>[0]['socket']
  return clientAddress(trusted)({ socket, headers })
}

describe('the address of a client', () => {
  const reported = { 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7' }

  it('is the address of the connection unless a trusted proxy connects', () => {
    expect(addressFrom('10.0.0.1', reported, [])).toBe('10.0.0.1')
    expect(addressFrom('192.0.2.1', reported)).toBe('192.0.2.1')
    expect(addressFrom('11.0.0.1', reported)).toBe('11.0.0.1')
    expect(addressFrom('2001:db8:2::1', reported)).toBe('2001:db8:2::1')
    expect(addressFrom('::ffff:192.0.2.1', {}, [])).toBe('192.0.2.1')
    expect(addressFrom('fe80::1%eth0', reported)).toBe('fe80::1')
  })

  it.each([
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['2001:db8:1::5', '198.51.100.7', '198.51.100.7'],
    // Addresses that the client sent come first, and are ignored.
    ['10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '127.0.0.1, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.7, 10.9.9.9, ::ffff:10.1.1.1', '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7:49152', '198.51.100.7'],
    ['10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '2001:DB8:2::7', '2001:db8:2::7'],
    ['10.0.0.1', '[2001:db8:2::7]:443', '2001:db8:2::7'],
    ['10.0.0.1', '10.0.0.7, 10.0.0.8', '10.0.0.7'],
    ['10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.7, unknown, 10.0.0.8', '10.0.0.8'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.7, 999.1.1.1', '10.0.0.1'],
  ])(
    'is read from X-Forwarded-For behind trusted proxies: a connection from %s with %s is from %s',
    (connection, header, address) => {
      expect(addressFrom(connection, { 'x-forwarded-for': header })).toBe(address)
    },
  )

  it.each([
    ['for=198.51.100.7', '198.51.100.7'],
    ['For="198.51.100.7:4711";proto=https;by=10.0.0.1', '198.51.100.7'],
    ['proto=https; for="[2001:db8:2::7]:4711"', '2001:db8:2::7'],
    ['for="[2001:db8:2::7]"', '2001:db8:2::7'],
    ['for=203.0.113.9, for=198.51.100.7;by=10.0.0.2, for=10.0.0.2', '198.51.100.7'],
    ['for="203.0.113.9, for=198.51.100.8", for=198.51.100.7', '198.51.100.7'],
    ['for="198\\.51.100.7"', '198.51.100.7'],
    ['for=203.0.113.9, for=unknown', '10.0.0.1'],
    ['for=203.0.113.9, for=_hidden', '10.0.0.1'],
    ['for=203.0.113.9, proto=https', '10.0.0.1'],
    ['for=203.0.113.9, for="198.51.100.7', '10.0.0.1'],
    ['for=198.51.100.7 and more', '10.0.0.1'],
    [' ; \t for=198.51.100.7 \t; , for = 10.0.0.2', '10.0.0.1'],
    [' ; \t for=198.51.100.7 \t; , for=10.0.0.2 ', '198.51.100.7'],
  ])('is read from Forwarded behind a trusted proxy: %s is %s', (forwarded, address) => {
    expect(addressFrom('10.0.0.1', { forwarded })).toBe(address)
  })

  it('is the address of the proxy if the two headers differ', () => {
    expect(addressFrom('10.0.0.1', reported)).toBe('198.51.100.7')
    expect(addressFrom('10.0.0.1', { ...reported, forwarded: 'for=203.0.113.9' })).toBe('10.0.0.1')
    expect(addressFrom('10.0.0.1', { ...reported, 'x-forwarded-for': 'unknown' })).toBe('10.0.0.1')
  })
})

test.each(['10.0.0.0/33', 'proxy.example.com', '10.0.0.1 10.0.0.2', '10', '10.0.0.0/8, ::1/129'])(
  'MUSTER_TRUSTED_PROXIES=%s is rejected, and the error names the setting',
  (text) => {
    expect(() => readConfig({ MUSTER_TRUSTED_PROXIES: text })).toThrow(
      /^MUSTER_TRUSTED_PROXIES must be CIDR ranges or single addresses, separated by commas/,
    )
  },
)

describe('a server behind a trusted proxy', () => {
  let app: TestApp
  beforeAll(async () => {
    const env = {
      MUSTER_TRUSTED_PROXIES: '127.0.0.0/8',
      MUSTER_ADDRESS_POINTS: '100',
      MUSTER_ADDRESS_POINTS_PER_SECOND: '1',
    }
    app = await startTestApp({ env, elapsed: () => 0, mqtt: true })
  })
  afterAll(() => app.close())

  const version = (headers: Record<string, string>) =>
    fetch(`${app.url}/graphql/v1?query=${encodeURIComponent('{ version }')}`, { headers })

  test('gives each address a separate quota, even if the client sends other addresses', async () => {
    const spoofing = (index: number) => version({ 'x-forwarded-for': `203.0.113.${index}, 198.51.100.7` })
    const responses = await Promise.all(Array.from({ length: 101 }, (_, index) => spoofing(index)))
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1)
    expect((await version({ 'x-forwarded-for': '198.51.100.8' })).status).toBe(200)
    expect((await version({ forwarded: 'for=198.51.100.7' })).status).toBe(429)
  })

  test('records in events the addresses of devices that report over HTTP or connect over WebSocket', async () => {
    const addressOf = async (id: string) =>
      (await findDevice(app.owner, id)).events.items.find(({ type }: { type: string }) => type === 'DEVICE_STATE')?.data
        .address
    const [reporting, connecting] = [await registerDevice(app.owner), await registerDevice(app.owner)]
    const headers = { 'x-forwarded-for': '198.51.100.9' }
    const credentials = Buffer.from(`${reporting.id.replaceAll(':', '')}:${reporting.secret}`).toString('base64')
    const reported = await fetch(`${app.url}/devices/v1/report`, {
      method: 'POST',
      headers: { ...headers, authorization: `Basic ${credentials}` },
      body: '{"state": "active"}',
    })
    expect(reported.status).toBe(200)
    expect(await addressOf(reporting.id)).toBe('198.51.100.9')

    const { id, secret } = connecting
    const client = connect(`${app.url.replace('http:', 'ws:')}/mqtt`, {
      clientId: id,
      username: id,
      password: secret,
      reconnectPeriod: 0,
      wsOptions: { headers },
    })
    onTestFinished(() => void client.end(true))
    await vi.waitFor(async () => expect(await addressOf(id)).toBe('198.51.100.9'), { timeout: 60_000 })
  })
})
