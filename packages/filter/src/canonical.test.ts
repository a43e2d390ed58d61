import { describe, expect, test } from 'vitest'
import { check } from '../test/fixtures.ts'

describe('canonical form', () => {
  test.each([
    ['', ''],
    ['site = oslo', 'attributes.site = oslo'],
    ['state = active site:os', 'state = active AND attributes.site:os'],
    ['-site = oslo', 'attributes.site != oslo'],
    ['-site:oslo', 'NOT attributes.site:oslo'],
    ['NOT (NOT site = oslo)', 'NOT (attributes.site != oslo)'],
    ['-(gate door)', 'NOT (gate AND door)'],
    ['((gate)) (a OR (b OR c))', 'gate AND (a OR b OR c)'],
    ['categoryA = x', 'attributes.$svc.categoryA = x'],
    ['"rack row" = 3', 'attributes."rack row" = "3"'],
    ['a.b.c = x', 'attributes.a."b.c" = x'],
    ['attributes:net.ssid', 'attributes.net.ssid:*'],
    ['rack = 010', 'attributes.rack = "010"'],
    ['rack = -2d', 'attributes.rack = "-2d"'],
    ['rack = now', 'attributes.rack = "now"'],
    ["site = 'Oslo north'", 'attributes.site = "Oslo north"'],
    ['site = os*', 'attributes.site = os*'],
    ['site = "a\\*b*"', 'attributes.site = "a\\*b*"'],
    ['site = Tromsø', 'attributes.site = Tromsø'],
    ['load > 5', 'attributes.load > 5'],
    ['firmware > "2.10"', 'attributes.firmware > "2.10"'],
    ['rack < B', 'attributes.rack < B'],
    ['lastBackup < -36h', 'attributes.lastBackup < -1d12h'],
    ['lastBackup < -0d', 'attributes.lastBackup < now'],
    ['created > 2026-11-20', 'created > 2026-11-20'],
    ['created = 2026-11-20', 'created = 2026-11-20'],
    ['created = 2026-11-20T00:00:00Z', 'created = 2026-11-20T00:00:00Z'],
    ['created > 2026-11-20T08:30:00+01:00', 'created > 2026-11-20T07:30:00Z'],
    ['state:active', 'state = active'],
    ['id = 80:00:00:00:00:00:00:0A', 'id = 80:00:00:00:00:00:00:0a'],
    ['80:00:1f', '80:00:1f'],
    ['site = (oslo OR "b c")', 'attributes.site = (oslo OR "b c")'],
    ['site = (oslo)', 'attributes.site = oslo'],
    ['name:(gate north)', 'name:(gate AND north)'],
    ['services:ssh', 'services.name:ssh'],
    ['services.port != 22', 'services.port != 22'],
    ['services:(port != 22)', 'services:(port != 22)'],
    ['services:(port = 22)', 'services.port = 22'],
    ['services:(ssh -state:active)', 'services:(ssh AND state != active)'],
    ['services:(base(site) = x)', 'services:(base(attributes.site) = x)'],
    ['age("rack row")>48h', 'age("attributes.rack row") > 2d'],
    ["in('night',site):*", 'in("night", attributes.site):*'],
    ['stale(statusA)', 'stale(attributes.$svc.statusA)'],
    ['view(abc) any(oslo)', 'view("abc") AND any("oslo")'],
    ['"AND" "gate.7" "a b"', '"AND" AND "gate.7" AND "a b"'],
  ])('writes %j in canonical form', (text, canonical) => {
    expect(check(text)).toMatchObject({ problems: [], canonical })
    expect(check(canonical).filter).toEqual(check(text).filter)
  })

  test('writes the prefix `device.` in filters of services and events', () => {
    expect(check('site = a device.site = b', { kind: 'service' }).canonical).toBe(
      'attributes.site = a AND device.attributes.site = b',
    )
    expect(check('site = a actor = b', { kind: 'event' }).canonical).toBe('device.attributes.site = a AND actor = b')
    expect(check('device.services:(port = 22 state = active)', { kind: 'event' }).canonical).toBe(
      'device.services:(port = 22 AND state = active)',
    )
  })

  test('returns no canonical form for a filter with problems', () => {
    expect(check('a OR').canonical).toBeNull()
  })
})
