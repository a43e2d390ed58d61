import * as intervals from '../../src/features/freshness/expected-intervals.queries.ts'
import * as valueTimes from '../../src/features/freshness/value-times.queries.ts'
import * as history from '../../src/features/history/attribute-history.queries.ts'
import * as leases from '../../src/features/presence/leases.queries.ts'
import type { Send } from './direct-webhook-calls.ts'

/** Returns calls to the query functions for expected intervals and for the times of attribute values. */
export function directTimeCalls({ accountId, device }: { accountId: string; device: string }): Send[] {
  const value = { owner: { id: device, deviceId: device }, name: 'site', context: null, value: 'oslo' }
  return [
    (db) => intervals.selectIntervals(db, accountId, ['load']),
    (db) => intervals.deleteInterval(db, accountId, 'load'),
    (db) => valueTimes.selectOverrideTimes(db, accountId, { ids: [device], contexts: ['context'] }),
    (db) => history.selectChangeTimes(db, accountId, [value]),
    (db) => leases.moveTimesStart(db),
  ]
}
