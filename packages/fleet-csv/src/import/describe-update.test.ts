import { expect, it } from 'vitest'
import { describeUpdate } from './describe-update.ts'
import { findDifference } from './difference.ts'

const types = [
  { id: 1, name: 'SSH', port: 22 },
  { id: 2, name: 'HTTP', port: 80 },
]
const ssh = { name: 'ssh', application: 1, host: null, port: 22, enabled: true }
const web = { name: 'web', application: 2, host: null, port: 80, enabled: true }

it('describes an update by column, with the current and the new value', () => {
  const device = {
    id: '80:01',
    name: 'old',
    hardwareId: 'H1',
    platform: null,
    attributes: { site: 'bergen', net: { ssid: 'lab' }, name: 'same' },
    services: [{ ...ssh, id: '80:02' }],
  }
  const wanted = {
    line: 2,
    name: 'new',
    hardwareId: 'H1',
    platform: 'linux',
    services: [{ ...ssh, port: 2222, enabled: false }, web],
    attributes: new Map([
      ['site', 'oslo'],
      ['net.ssid', 'lab'],
      ['rack', ''],
      ['name', 'other'],
    ]),
    hasPortlessService: false,
  }
  const update = { wanted, device, difference: findDifference(wanted, device) }
  expect(describeUpdate(update, types)).toEqual([
    { column: 'name', before: 'old', after: 'new' },
    { column: 'platform', before: null, after: 'linux' },
    { column: 'services', before: null, after: 'web=http:80' },
    { column: 'services', before: 'ssh:22', after: '!ssh:2222' },
    { column: 'site', before: 'bergen', after: 'oslo' },
    { column: 'rack', before: null, after: '' },
    { column: 'attributes.name', before: 'same', after: 'other' },
  ])
})
