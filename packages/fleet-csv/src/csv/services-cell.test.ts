import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatServices, parseServices, type ServiceEntry } from './services-cell.ts'

const awkward = fc.string({ unit: fc.constantFrom('\\', ';', '=', ':', '!', '[', ']', ' ', '\n', 'a', '1', '-', '💡') })
const text = fc
  .oneof(fc.string({ unit: 'grapheme', minLength: 1 }), awkward, fc.ipV6(), fc.constantFrom('22', '-', '[::1]', ' a '))
  .filter((value) => value.trim() !== '')
const entry: fc.Arbitrary<ServiceEntry> = fc.record({
  name: text,
  type: text,
  host: fc.option(text),
  port: fc.option(fc.option(fc.integer({ min: 1, max: 65_535 })), { nil: undefined }),
  enabled: fc.boolean(),
})

describe('the services cell', () => {
  it('round-trips services with any names', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        expect(parseServices(formatServices(entries))).toEqual(entries)
      }),
      { numRuns: 2_000 },
    )
  })

  it('accepts a type, optionally with a port, a name, and a host', () => {
    const plain = { host: null, port: undefined, enabled: true }
    expect(parseServices('ssh; ssh:22;web=http:8080 ;nas=smb:192.168.1.5;cam=rtsp:cam.local:554;')).toEqual([
      { ...plain, name: 'ssh', type: 'ssh' },
      { ...plain, name: 'ssh', type: 'ssh', port: 22 },
      { ...plain, name: 'web', type: 'http', port: 8080 },
      { ...plain, name: 'nas', type: 'smb', host: '192.168.1.5' },
      { ...plain, name: 'cam', type: 'rtsp', host: 'cam.local', port: 554 },
    ])
  })

  it('accepts disabled services, services without a port, and IPv6 addresses in brackets', () => {
    expect(parseServices('!ssh:-;!v6=ssh:[fe80::1%eth0]:22')).toEqual([
      { name: 'ssh', type: 'ssh', host: null, port: null, enabled: false },
      { name: 'v6', type: 'ssh', host: 'fe80::1%eth0', port: 22, enabled: false },
    ])
  })

  it('formats services with brackets and escapes only where they are necessary', () => {
    const service = { name: 'web', type: 'http', host: '10.0.0.1', port: 80, enabled: true }
    expect(formatServices([service, { ...service, host: '::1', enabled: false }])).toBe(
      'web=http:10.0.0.1:80;!web=http:[::1]:80',
    )
    expect(formatServices([{ ...service, name: 'a=b; c', host: null }])).toBe('a\\=b\\; c=http:80')
  })

  it.each([
    ['web=', 'type is missing'],
    ['=ssh:22', 'name before the "=" is missing'],
    ['a=b=ssh', 'more than one "="'],
    ['ssh:fe80::1:22', 'put brackets around a host that contains colons'],
    ['ssh:', 'host or port after ":" is missing'],
    ['ssh:70000', 'from 1 to 65535'],
    ['ssh:0', 'from 1 to 65535'],
    ['ssh:[::1', '"[" has no closing "]"'],
    ['ssh\\', 'escapes nothing'],
  ])('rejects %s', (cell, reason) => {
    expect(() => parseServices(cell)).toThrow(reason)
  })
})
