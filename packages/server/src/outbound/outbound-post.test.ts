import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRange } from '../lib/address-range.ts'
import { isAllowedAddress } from './allowed-address.ts'
import { createOutbound } from './outbound-post.ts'
import { loopbackAddresses, resolveName } from './resolve.ts'

let hits = 0
let port: number
const server = createServer((_request, response) => {
  hits++
  response.end('inside')
})
beforeAll(async () => {
  server.listen(0, '::')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const send = (outbound: ReturnType<typeof createOutbound>, url: string) =>
  outbound.post({ url: new URL(url), headers: {}, body: '{}' })

/** Various spellings of URL hosts to which the server must not connect. */
const internalHosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '１２７.0.0.1',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '2852039166',
  '100.64.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  'example.com@127.0.0.1',
  'example.com:80@127.0.0.1',
]

describe('an internal address', () => {
  it.each(internalHosts)('is forbidden and receives no connection: %s', async (host) => {
    const outbound = createOutbound({ allowed: [] })
    const url = new URL(`http://${host}:${port}/`)
    expect(outbound.isForbidden(url)).toBe(true)
    const before = hits
    expect(await send(outbound, url.href)).toMatchObject({
      status: null,
      error: expect.stringMatching(/address that the server may (not )?connect to/),
    })
    expect(hits).toBe(before)
    await outbound.close()
  })

  it('is rejected with a zone ID', () => {
    expect(() => new URL('http://[fe80::1%25eth0]/')).toThrow()
    expect(isAllowedAddress('fe80::1%eth0', [])).toBe(false)
    expect(isAllowedAddress('2606:4700::1111%eth0', [])).toBe(false)
  })

  it("is rejected even if it is only one of a name's addresses", async () => {
    const outbound = createOutbound({ allowed: [], resolve: async () => ['93.184.215.14', '127.0.0.1'] })
    const url = `http://mixed.example:${port}/`
    const before = hits
    expect(await send(outbound, url)).toMatchObject({ status: null })
    expect(hits).toBe(before)
    await outbound.close()
  })

  it('cannot be reached through a name that resolves to it', async () => {
    const responses = [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1']]
    const outbound = createOutbound({ allowed: [], resolve: async () => responses.shift()! })
    const url = `http://rebinding.example:${port}/`
    const before = hits
    for (let tries = 0; tries < 3; tries++) {
      expect(await send(outbound, url)).toMatchObject({
        status: null,
        error: 'the host name has no address, or has an address that the server may not connect to',
      })
    }
    expect(responses).toHaveLength(0)
    expect(hits).toBe(before)
    await outbound.close()
  })

  it('is found with only one lookup of its name per connection', async () => {
    let asked = 0
    const resolve = async () => {
      asked++
      return ['127.0.0.1']
    }
    const outbound = createOutbound({ allowed: [parseRange('127.0.0.1')!], resolve })
    expect(await send(outbound, `http://own.example:${port}/`)).toMatchObject({ status: 200, body: 'inside' })
    expect(asked).toBe(1)
    await outbound.close()
  })
})

describe('an allowed range of addresses', () => {
  it('permits only its own addresses', async () => {
    const outbound = createOutbound({ allowed: [parseRange('127.0.0.0/8')!] })
    expect(outbound.isForbidden(new URL('http://127.0.0.1/'))).toBe(false)
    expect(outbound.isForbidden(new URL('http://[::ffff:127.0.0.1]/'))).toBe(false)
    expect(outbound.isForbidden(new URL('http://[::1]/'))).toBe(true)
    expect(outbound.isForbidden(new URL('http://10.0.0.1/'))).toBe(true)
    expect(await send(outbound, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 })
    await outbound.close()
  })

  it('can be a CIDR range or a single address', () => {
    expect(isAllowedAddress('10.1.2.3', [parseRange('10.0.0.0/8')!])).toBe(true)
    expect(isAllowedAddress('fd00::1', [parseRange('fd00::1')!])).toBe(true)
    expect(isAllowedAddress('fd00::2', [parseRange('fd00::1')!])).toBe(false)
    for (const wrong of ['10.0.0.0/33', 'lan', '', '10.0.0.0/']) expect(parseRange(wrong)).toBeUndefined()
  })
})

describe('a public address', () => {
  it.each(['8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001::1'])('is reachable: %s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(true)
  })
})

describe('the response of a receiver', () => {
  const allowed = [parseRange('127.0.0.1')!]

  it('is returned up to 1 KiB, and is not read to the end if it is endless', async () => {
    let sent = 0
    const endless = createServer((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384
      }
      response.on('drain', more)
      more()
    }).listen(0, '127.0.0.1')
    await once(endless, 'listening')
    const outbound = createOutbound({ allowed })
    const response = await send(outbound, `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`)
    expect(response).toMatchObject({ status: 200, body: 'x'.repeat(1_024) })
    expect(sent).toBeLessThan(20 * 1024 * 1024)
    await outbound.close()
    endless.closeAllConnections()
    endless.close()
  })

  it('is reported as an error if it is incomplete or not HTTP', async () => {
    const responses = ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', '']
    const brokenServer = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.end(responses.shift() ?? '')
    }).listen(0, '127.0.0.1')
    await once(brokenServer, 'listening')
    const outbound = createOutbound({ allowed })
    const url = `http://127.0.0.1:${(brokenServer.address() as AddressInfo).port}/`
    expect(await send(outbound, url)).toMatchObject({ status: null, error: 'the response is not HTTP' })
    expect(await send(outbound, url)).toMatchObject({ status: null })
    expect(await send(outbound, url)).toMatchObject({ status: null, error: 'the connection was closed unexpectedly' })
    await outbound.close()
    brokenServer.close()
  })
})

describe('the name of a receiver', () => {
  it('is resolved to loopback addresses if it is a loopback name', async () => {
    expect(await resolveName('localhost')).toEqual(['127.0.0.1', '::1'])
    expect(await resolveName('x.localhost.')).toEqual(['127.0.0.1', '::1'])
  })

  it('is resolved to its addresses in the hosts file if the file contains it', async () => {
    const lines = (await readFile('/etc/hosts', 'utf8')).split('\n').map((line) => line.replace(/#.*/, '').trim())
    for (const [address = '', ...names] of lines.map((line) => line.split(/\s+/)))
      for (const name of names.filter((each) => loopbackAddresses(each).length === 0))
        expect(await resolveName(`${name.toUpperCase()}.`), name).toContain(address)
  })
})
