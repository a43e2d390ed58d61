import * as bulkItems from '../../src/features/bulk/bulk-items.queries.ts'
import * as bulkJobs from '../../src/features/bulk/bulk-jobs.queries.ts'
import * as bulkRows from '../../src/features/bulk/bulk-rows.queries.ts'
import * as bulkSecrets from '../../src/features/bulk/bulk-secrets.queries.ts'
import * as bulkServices from '../../src/features/bulk/matching-services.queries.ts'
import * as pending from '../../src/features/bulk/run/pending.queries.ts'
import * as starter from '../../src/features/bulk/run/starter.queries.ts'
import * as bulkSizes from '../../src/features/bulk/sizes/bulk-sizes.queries.ts'
import * as newDevices from '../../src/features/devices/changes/bulk-registration.queries.ts'
import { newId } from '../../src/features/devices/device-id.ts'
import * as eventIds from '../../src/features/events/event-ids.queries.ts'
import { readFilter } from '../../src/features/filters/read-filter.ts'
import * as servicesOfMany from '../../src/features/services/services-of-many-devices.queries.ts'
import type { Send } from './direct-webhook-calls.ts'

interface Existing {
  accountId: string
  device: string
  bulkJob: string
  now: Date
}

/** Returns calls to the query functions that preview, run, and delete bulk jobs. */
export function directBulkCalls({ accountId, device: id, bulkJob, now }: Existing): Send[] {
  const newDevice = {
    ...{ id: newId(), name: 'new', hardwareId: null, platform: null, attributes: {}, reserved: {} },
    services: [{ id: newId(), name: 'ssh', application: 28, host: null, port: 22, enabled: true }],
  }
  const bulkPlace = { accountId, jobId: bulkJob }
  const bulkFilter = {
    where: readFilter('id:*', { kind: 'device', path: 'where' })!,
    context: undefined,
    now,
    inside: undefined,
  }
  const serviceFilter = readFilter('port = 22 AND state = active', { kind: 'service', path: 'where' })!
  const service = { ...newDevice.services[0]!, id: newId(), deviceId: id }
  return [
    (db) => bulkJobs.selectActiveJobs(db),
    (db) => bulkJobs.takeJob(db, accountId, bulkJob),
    (db) => bulkJobs.selectExpired(db, new Date(0), 1),
    (db) => bulkJobs.expirePreview(db, { accountId, id: 'none' }, { before: new Date(0) }),
    (db) => bulkJobs.findEndedJob(db, new Date(0)),
    (db) => bulkJobs.closeExpired(db, { accountId, id: 'none' }),
    (db) => bulkJobs.deleteJob(db, { accountId, id: 'none' }),
    (db) => bulkJobs.analyzeDevices(db),
    (db) => bulkItems.deleteSomeItems(db, { accountId, jobId: 'none' }, 1),
    (db) => starter.findRoleOfStarter(db, accountId, accountId),
    (db) => pending.selectPending(db, bulkPlace, { size: { devices: 1, bytes: 1 } }),
    (db) => eventIds.selectNextIds(db, 1),
    (db) => pending.findPending(db, bulkPlace),
    (db) => bulkItems.selectRangeEnd(db, accountId, { after: '', limit: 1 }),
    (db) => bulkItems.selectPlannedHardwareIds(db, bulkPlace, { hardwareIds: ['x'], upTo: id }),
    (db) => bulkItems.selectChangesOf(db, bulkPlace, [id]),
    (db) => bulkItems.selectHardwareIds(db, accountId, ['x']),
    (db) => bulkItems.selectMatching(db, accountId, { filter: bulkFilter, among: { ids: [id] } }),
    (db) => pending.writeResults(db, bulkPlace, []),
    (db) => bulkRows.selectByKeys(db, accountId, { ids: [id], hardwareIds: ['x'], names: ['x'], inside: undefined }),
    (db) => bulkRows.selectNamesOfOtherDevices(db, bulkPlace, { names: ['x'], inside: undefined }),
    (db) => bulkRows.insertRows(db, bulkPlace, []),
    (db) => bulkRows.findLine(db, bulkPlace, { id, key: 'name x' }),
    (db) => bulkRows.selectRows(db, bulkPlace, [id]),
    (db) =>
      bulkSizes.selectAttributeBytes(db, accountId, {
        ids: [id],
        contexts: ['x'],
        withServices: [id],
        inside: undefined,
      }),
    (db) =>
      bulkServices.selectMatchingServices(db, accountId, { filter: serviceFilter, ids: [id], now, inside: undefined }),
    (db) => servicesOfMany.selectStoredServices(db, accountId, [id]),
    (db) => servicesOfMany.insertServices(db, accountId, [service]),
    (db) => servicesOfMany.updateServices(db, accountId, [service]),
    (db) => servicesOfMany.deleteServices(db, accountId, [service.id]),
    (db) => bulkSecrets.selectJobKey(db, { accountId, id: bulkJob }),
    (db) => bulkSecrets.takeJobKey(db, { accountId, id: bulkJob }, now),
    (db) => bulkSecrets.selectOldKeys(db, new Date(0), 1),
    (db) => bulkSecrets.deleteJobKey(db, { accountId, id: 'none' }),
    (db) => bulkRows.selectUntouched(db, bulkPlace, [id]),
    (db) => newDevices.insertDevices(db, accountId, { devices: [newDevice], created: now }),
  ]
}
