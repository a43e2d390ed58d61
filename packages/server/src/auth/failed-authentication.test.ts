import { describe, expect, it } from 'vitest'
import { networkOf } from '../lib/client-address.ts'
import { createFailedAuthentication } from './failed-authentication.ts'

const MINUTE = 60_000

describe('failed signatures', () => {
  it('are counted for a minute, per address and per key', () => {
    let now = 0
    const failed = createFailedAuthentication(() => now)
    for (let time = 0; time < 20; time++) expect(failed.count('192.0.2.1', 'key-1')).toBeUndefined()
    expect(failed.count('192.0.2.1', 'key-2')).toBe(60)
    expect(failed.count('192.0.2.2', 'key-1')).toBe(60)
    expect(failed.count('192.0.2.3', 'key-3')).toBeUndefined()
    now = MINUTE - 1
    expect(failed.count('192.0.2.1', undefined)).toBe(1)
    now = MINUTE
    expect(failed.count('192.0.2.1', 'key-1')).toBeUndefined()
  })

  it('are counted once for each named key, and once for the address', () => {
    const failed = createFailedAuthentication(() => 0)
    for (let time = 0; time < 20; time++) expect(failed.count('192.0.2.1', `key-${time}`, 'key-a')).toBeUndefined()
    expect(failed.count('192.0.2.2', 'key-b', 'key-a')).toBe(60)
    expect(failed.count('192.0.2.2', 'key-b')).toBeUndefined()
  })

  it('are counted together for an address, even if each names a different key', () => {
    const failed = createFailedAuthentication(() => 0)
    let limited = 0
    for (let key = 0; key < 100_000; key++) if (failed.count('192.0.2.1', `key-${key}`) !== undefined) limited++
    expect(limited).toBe(100_000 - 20)
  })
})

describe('attempts to authenticate', () => {
  it('are blocked for an address after 20 failures with any keys', () => {
    let now = 0
    const failed = createFailedAuthentication(() => now)
    for (let time = 0; time < 20; time++) {
      expect(failed.wait('192.0.2.1', 'key')).toBeUndefined()
      failed.count('192.0.2.1', `key-${time}`)
    }
    expect(failed.wait('192.0.2.1', 'key')).toBe(60)
    expect(failed.wait('192.0.2.1', undefined)).toBe(60)
    expect(failed.wait('192.0.2.2', 'key-1')).toBeUndefined()
    now = MINUTE
    expect(failed.wait('192.0.2.1', 'key')).toBeUndefined()
  })

  it('are blocked for an address without quota, except with a key that has signed correctly from it', () => {
    const failed = createFailedAuthentication(
      () => 0,
      (network) => (network === '2001:db8:1:2::/64' ? 3 : 0),
    )
    failed.verified('2001:db8:1:2::5', 'key')
    expect(failed.wait('2001:db8:1:2::1', 'another')).toBe(3)
    expect(failed.wait('2001:db8:1:2::1', 'key')).toBeUndefined()
    expect(failed.wait('2001:db8:1:3::1', 'another')).toBeUndefined()
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
  ])('counts %s as part of the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
