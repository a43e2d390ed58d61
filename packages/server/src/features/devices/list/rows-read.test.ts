import { describe, expect, test } from 'vitest'
import type { DeviceListArguments } from './device-list-request.ts'
import { rowsRead } from './device-row-cost.ts'

const DEVICES = 100_000
const read = (args: DeviceListArguments) => rowsRead(args, { devices: DEVICES, firstRecord: 1 })

describe('estimates no additional rows for a page with an index', () => {
  test.each<DeviceListArguments>([
    {},
    { sort: 'created desc' },
    { sort: '$svc.statusA', size: 1_000 },
    { state: 'active', sort: 'name' },
    { name: 'ode', sort: 'lastReported desc' },
    { platform: ['linux'] },
    { application: [28] },
    { attributes: { site: 'oslo' }, context: 'lab' },
    { where: 'statusA >= a' },
    { where: 'site = oslo', context: 'lab' },
    { where: 'statusA = a', context: 'lab' },
    { attributes: { site: 'oslo', gone: null } },
    { after: '80:00:00:00:00:00:00:01', from: 50_000 },
    { from: 4_000 },
  ])('%j', (args) => {
    expect(read(args).page).toEqual({ rows: 0, reasons: [] })
  })
})

describe('estimates every device for a page without an index and reports why', () => {
  test.each<[DeviceListArguments, RegExp[]]>([
    [{ sort: 'no.index' }, [/^sort key "no\.index" has no index/]],
    [{ sort: '$svc.statusA desc', context: 'lab' }, [/^sort key "\$svc\.statusA" in a context/]],
    [{ name: 'q9' }, [/^name: "q9"/]],
    [{ name: 'a-b-c' }, [/^name: "a-b-c"/]],
    [{ name: 'aσb' }, [/^name: "aσb"/]],
    [{ attributes: { gone: null } }, [/^attributes: /]],
    [{ attributes: { gone: null }, application: [35] }, [/^attributes: /]],
    [{ attributes: { gone: null }, sort: 'x.y desc', context: 'lab' }, [/^sort key "x\.y"/, /^attributes: /]],
    [{ state: 'active', sort: 'rack' }, [/^sort key "rack"/]],
    [{ where: 'statusA >= a', context: 'lab' }, [/^filter: no index supports "statusA >= a";/]],
    [{ where: 'in("lab", statusA) >= a' }, [/^filter: no index supports "in/]],
    [{ where: 'override("lab", statusA) >= a' }, [/^filter: no index supports "override/]],
  ])('%j', (args, reasons) => {
    const { page } = read(args)
    expect(page.rows).toBe(DEVICES)
    expect(page.reasons).toHaveLength(reasons.length)
    for (const [index, reason] of reasons.entries()) expect(page.reasons[index]).toMatch(reason)
  })
})

test.each([
  [{ from: 5_001 }, 5_000],
  [{ from: 50_001 }, 50_000],
  [{ from: 99_001 }, 1_000],
  [{ from: 200_001 }, 0],
  [{ from: 99_001, state: 'active' }, 99_000],
])('estimates the skipped devices, counted from the nearer end if there is no filter: %j', (args, rows) => {
  expect(read(args).page.rows).toBe(rows)
})

test('estimates only the named devices for a filter by IDs or hardware ID', () => {
  const ids = ['80:00:00:00:00:00:00:01', '80:00:00:00:00:00:00:02']
  expect(read({ id: ids, sort: 'no.index' })).toEqual({
    page: { rows: 2, reasons: [] },
    total: { rows: 2, reasons: [] },
  })
  expect(read({ hardwareId: 'hw-1', sort: 'no.index' }).page.rows).toBe(1)
})

test('estimates no rows for total without a filter, and every device with a filter by state', () => {
  expect(read({ sort: 'no.index' }).total).toEqual({ rows: 0, reasons: [] })
  expect(read({ state: 'active' }).total).toEqual({ rows: DEVICES, reasons: [expect.stringMatching(/^total counts/)] })
})

test('estimates no rows for arguments that it cannot parse', () => {
  for (const args of [{ size: 0, sort: 'no.index' }, { sort: 'no index' }, { state: 'on', name: 'q9' }]) {
    expect(read(args)).toEqual({ page: { rows: 0, reasons: [] }, total: { rows: 0, reasons: [] } })
  }
})
