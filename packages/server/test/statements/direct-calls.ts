import * as auth from '../../src/auth/auth.queries.ts'
import { toKeyPolicy } from '../../src/auth/key-policy-rules.ts'
import * as keyUse from '../../src/auth/key-use-counter.queries.ts'
import * as masterKey from '../../src/auth/master-key/master-key.queries.ts'
import * as nodes from '../../src/db/cluster/account-shards.queries.ts'
import type { Database } from '../../src/db/database.ts'
import * as accessKeys from '../../src/features/access-keys/access-keys.queries.ts'
import * as keyUsage from '../../src/features/access-keys/key-usage.queries.ts'
import * as attributes from '../../src/features/attributes/attributes.queries.ts'
import * as attributeNames from '../../src/features/attributes/names/attribute-names.queries.ts'
import * as setAttribute from '../../src/features/attributes/set-attribute.queries.ts'
import * as presenceSamples from '../../src/features/availability/presence-samples.queries.ts'
import * as deviceChanges from '../../src/features/devices/changes/device-changes.queries.ts'
import * as deviceSecret from '../../src/features/devices/changes/device-secret.queries.ts'
import * as recheck from '../../src/features/devices/changes/recheck-connected-devices.queries.ts'
import * as cutOff from '../../src/features/devices/changes/send-recheck-notifications.queries.ts'
import * as transfer from '../../src/features/devices/changes/transfer/transfer.queries.ts'
import * as deviceCount from '../../src/features/devices/device-count.queries.ts'
import * as devices from '../../src/features/devices/devices.queries.ts'
import * as deviceList from '../../src/features/devices/list/device-list.queries.ts'
import { readDeviceOrder } from '../../src/features/devices/list/device-sort.ts'
import { serverSource } from '../../src/features/events/event-source.ts'
import * as events from '../../src/features/events/events.queries.ts'
import * as feed from '../../src/features/events/feed/feed.queries.ts'
import { readFilter } from '../../src/features/filters/read-filter.ts'
import * as sampledValues from '../../src/features/filters/sampled-values.queries.ts'
import * as idempotency from '../../src/features/idempotency/idempotency.queries.ts'
import * as leases from '../../src/features/presence/leases.queries.ts'
import * as presence from '../../src/features/presence/presence.queries.ts'
import * as serviceStates from '../../src/features/presence/service-states.queries.ts'
import * as codes from '../../src/features/registration-codes/registration-codes.queries.ts'
import * as restrictions from '../../src/features/restrictions/restrictions.queries.ts'
import * as serviceNames from '../../src/features/services/services.queries.ts'
import * as deviceServices from '../../src/features/services/sync-services.queries.ts'
import * as accounts from '../../src/features/users/accounts.queries.ts'
import * as members from '../../src/features/users/members/members.queries.ts'
import * as memberships from '../../src/features/users/members/memberships.queries.ts'
import * as people from '../../src/features/users/people/people.queries.ts'
import * as roles from '../../src/features/users/roles/roles.queries.ts'
import * as userRemoval from '../../src/features/users/user-removal.queries.ts'
import { sweepJob } from '../../src/features/webhooks/webhooks.jobs.ts'
import * as heartbeat from '../../src/jobs/heartbeat.queries.ts'
import * as queue from '../../src/jobs/queue.queries.ts'
import * as spending from '../../src/rate-limits/exchange.queries.ts'
import type { OwnedObjects } from '../access/owned-objects.ts'
import { isCluster } from '../cluster/cluster-databases.ts'
import { directBulkCalls } from './direct-bulk-calls.ts'
import { directTimeCalls } from './direct-time-calls.ts'
import { directWebhookCalls, type Send } from './direct-webhook-calls.ts'

const clusterCalls = (accountId: string): Send[] => [
  (db) => feed.readNodes(db),
  (db) => nodes.selectShards(db, [accountId]),
  (db) => nodes.selectIdentity(db),
  (db) => nodes.isWorker(db, { system: 'none', node: '1', isStandby: false }),
]

export function directCalls({
  userId: accountId,
  device: id,
  service,
  accessKey,
  webhook,
  event,
  bulkJob,
}: OwnedObjects): Send[] {
  const now = new Date()
  const bytes = Buffer.from('x')
  const key = { accountId, deviceId: id }
  const use = {
    key: accessKey,
    day: now,
    field: 'User.devices',
    permission: 'DEVICE_READ',
    uses: 1,
    rejected: 0,
    lastUsed: now,
  }
  const idempotencyKey = { accountId, caller: accessKey, key: 'key' }
  const idempotencyRecord = { fingerprint: bytes, kind: 'device', id, response: null, expires: now }
  const range = { after: 0n, upTo: BigInt(event), limit: 1 }
  const restriction = { permissions: [], own: { where: 'id:*' }, within: [] }
  const newPerson = { id: 'new', email: 'new@example.com', emailConfirmed: true, name: null, passwordHash: 'x' }
  const list = { filter: { name: 'web' }, order: readDeviceOrder(null, undefined) }
  const { filter: inside } = readFilter('id:*', { kind: 'device', path: 'where' })!
  return [
    (db) => auth.writeLastUsed(db, [{ accountId, key: accessKey, at: now, isRestricted: false }]),
    (db) => auth.writeRestrictedLastUsed(db, [{ accountId, key: 'none', at: now, isRestricted: true }]),
    (db) => keyUse.insertKeyUse(db, accountId, [use]),
    (db) => keyUse.selectAccountsWithOldUse(db, new Date(0)),
    (db) => keyUse.deleteOldUse(db, accountId, new Date(0)),
    (db) => keyUsage.selectKeyUseSince(db, accountId),
    (db) => auth.isNonceUsed(db, accessKey, 'nonce'),
    (db) => auth.insertNonce(db, accessKey, 'nonce', now),
    (db) => auth.deleteExpiredNonces(db, now),
    (db) => accessKeys.hasKey(db, accessKey),
    (db) => accessKeys.selectPersonalKeys(db, accountId, accountId),
    (db) => accessKeys.disableKeysCreatedBy(db, accountId, 'unknown'),
    (db) => accessKeys.deletePersonalKeys(db, accountId, 'unknown'),
    (db) => accessKeys.isMember(db, accountId, accountId),
    (db) => accessKeys.moveToRestricted(db, accountId, 'none'),
    (db) => accessKeys.writeKeyPolicy(db, accountId, toKeyPolicy(null)),

    (db) => sampledValues.selectFrequentContexts(db, accountId, undefined),

    (db) => idempotency.findRecord(db, idempotencyKey, now),
    (db) => idempotency.tryLockKey(db, idempotencyKey),
    (db) => idempotency.insertRecord(db, idempotencyKey, idempotencyRecord),
    (db) => idempotency.countRecords(db, accountId, now),
    (db) => idempotency.selectAccountsWithExpired(db, now),
    (db) => idempotency.deleteExpired(db, accountId, { now, size: 1 }),

    (db) => presenceSamples.selectSampledAccounts(db),
    (db) => presenceSamples.insertSample(db, accountId, now),
    (db) => presenceSamples.joinSamples(db, accountId, new Date(0)),
    (db) => presenceSamples.deleteSamples(db, accountId, new Date(0)),

    (db) => masterKey.selectChecks(db),
    (db) => masterKey.insertCheck(db, 'check'),
    (db) => masterKey.lockCheck(db),
    (db) => masterKey.replaceCheck(db, 'check'),
    (db) => masterKey.deleteFormerCheck(db),
    ...masterKey.secretPlaces.flatMap((place): Send[] => [
      (db) => masterKey.selectSecrets(db, place, { after: { accountId: '', id: '' }, size: 1 }),
      ...place.columns.map((column): Send => {
        const secrets = [{ accountId, id: 'none', before: bytes, after: bytes }]
        return (db) => masterKey.writeSecrets(db, place, { column, secrets })
      }),
    ]),

    (db) => attributeNames.findRecentTargets(db, accountId, { after: 0n, limit: 1, names: ['site'] }),
    (db) => attributeNames.countNamesOnTargets(db, accountId, { ids: [id, service], names: ['site'] }),

    async (db) => {
      await people.insertPerson(db, newPerson)
      await accounts.insertAccount(db, { ...newPerson, passwordHash: 'x' })
    },
    (db) => accounts.hasAccounts(db),
    (db) => accounts.findOwner(db),
    (db) => people.selectUsers(db),
    (db) => accounts.selectAccounts(db),
    (db) => accounts.countOtherAccounts(db, [accountId]),
    (db) => userRemoval.selectAccountsWithoutOtherOwner(db, accountId),
    (db) => userRemoval.replaceContact(db, accountId, { personId: 'unknown', email: 'unknown@example.com' }),
    async (db) => {
      await people.insertPerson(db, newPerson)
      await people.insertMembership(db, { accountId, personId: newPerson.id, roleId: 'owner', source: 'founder' })
    },
    (db) => people.selectAccountsOf(db, accountId),
    (db) => people.findPerson(db, accountId),
    (db) => people.writeDisabled(db, 'unknown', null),
    (db) => people.disableAccountsOf(db, 'unknown', now),
    (db) => people.enableAccountsOf(db, 'unknown'),
    (db) => people.replaceWithRemovedPerson(db, { id: 'unknown', email: 'unknown@example.com', now: new Date() }),
    (db) => people.selectPeople(db, [accountId]),
    (db) => memberships.selectMemberships(db, accountId, { accountId: null, limit: 1 }),
    (db) => memberships.selectMemberships(db, accountId, { accountId, limit: 1 }),
    (db) => accounts.lockAccount(db, accountId),
    (db) => members.selectMembers(db, accountId),
    (db) => members.countMembers(db, accountId),
    (db) => members.countOwnersWhoCanSignIn(db, accountId),
    (db) => members.writeRole(db, accountId, { personId: 'unknown', roleId: 'viewer' }),
    (db) => members.deleteMembership(db, accountId, 'unknown'),
    (db) => accounts.writeContact(db, accountId, { email: 'x@example.com', name: null }),
    (db) => roles.selectRoles(db, accountId),
    (db) => roles.countRoleUses(db, accountId, now),
    (db) => roles.saveRole(db, accountId, { id: 'ro_x', name: 'x', permissions: [], restriction: null, groups: [] }),
    (db) => roles.removeRole(db, accountId, 'ro_x'),
    (db) => restrictions.writeRoleRestriction(db, accountId, { kind: 'role', id: 'ro_x', name: null, restriction }),
    (db) => restrictions.writeKeyRestriction(db, accountId, { kind: 'accessKey', id: 'x', name: null, restriction }),
    (db) => people.isDisabled(db, accountId),
    (db) => people.selectByContact(db, 'x@example.com'),
    (db) => accounts.countContents(db, accountId),
    ...userRemoval.tablesInOrder.map((table) => (db: Database) => userRemoval.deleteBatch(db, 'unknown', table)),
    (db) => userRemoval.deleteAccount(db, 'unknown'),
    (db) => userRemoval.detachFounder(db, 'unknown'),
    (db) => cutOff.recheckDevices(db),

    (db) =>
      attributes.listReadableContexts(db, accountId, {
        targetIds: ['unknown'],
        readable: [{ read: ['x'], write: [] }],
      }),
    (db) => attributes.lockDevice(db, accountId, id),
    (db) => attributes.lockServices(db, accountId, { ids: [service], deviceIds: [id] }),
    (db) => attributes.findDeviceBases(db, accountId, [id]),
    (db) => attributes.findServiceBases(db, accountId, [service]),
    ...(['device', 'service', 'account'] as const).flatMap((table): Send[] => [
      (db) => attributes.updateTarget(db, table, accountId, { id: 'none' }),
      (db) => attributes.updateTargets(db, table, accountId, [{ id: 'none' }]),
    ]),
    ...[true, false].map(
      (waits): Send =>
        (db) =>
          setAttribute.setOnDevices(db, accountId, {
            writes: [
              { accountId, actorId: accountId, source: serverSource, targetId: id, name: ['site'], value: 'oslo' },
            ],
            waits,
          }),
    ),
    (db) => attributes.updateReserved(db, accountId, [{ id, reserved: {}, attribute_times: {} }]),
    (db) => attributes.deleteOverrides(db, accountId, [id], ['context']),

    (db) => transfer.copyDeviceRows(db, { from: accountId, to: accountId, ids: ['none'] }),
    (db) => transfer.lockServicesToMove(db, accountId, [id]),
    (db) => transfer.countMovedBytes(db, accountId, [id]),
    (db) => transfer.findNamesOfDevices(db, accountId, [id]),
    (db) => transfer.findTakenHardwareId(db, accountId, ['hardware']),
    (db) => recheck.findInvalidSecrets(db, [{ deviceId: id, secretHash: bytes }]),
    (db) => cutOff.cutOffDevices(db, [id]),
    (db) => devices.deviceExists(db, accountId, { id, inside: undefined }),
    (db) => deviceList.countInSample(db, accountId, { ...list, start: { offset: 0 }, walked: 1 }),
    (db) => devices.selectReached(db, accountId, { ids: [id], inside }),
    (db) => attributeNames.countNamesInside(db, accountId, { inside, limit: 1 }),
    (db) => deviceChanges.lockStates(db, accountId, [id]),
    (db) => deviceCount.selectAccountsToSum(db),
    (db) => deviceCount.sumDeviceCount(db, accountId),
    (db) => deviceSecret.findDeviceOwner(db, id),
    (db) => deviceSecret.lockHardwareHolder(db, accountId, 'hardware'),
    (db) => deviceServices.lockServicesOfDevice(db, accountId, id),
    (db) => deviceServices.markAddedByDevice(db, accountId, service),
    (db) => serviceNames.selectServiceNames(db, accountId, id),
    (db) => codes.findCodeByHash(db, bytes),
    (db) => codes.countUse(db, accountId, 'none'),
    (db) => codes.removeCodesExpiredBefore(db, now),

    (db) => events.selectEventsByIds(db, accountId, [event]),
    (db) => events.findWindowEnd(db, accountId, { filter: {}, start: { offset: 0 }, limit: 1 }),
    (db) => events.selectFittingEvents(db, accountId, { filter: {}, start: { offset: 0 }, limit: 1 }),

    (db) => feed.readLogEnd(db),
    // These statements read the nodes of a cluster.
    ...(isCluster ? clusterCalls(accountId) : []),
    (db) => feed.readSettled(db, range),
    (db) => feed.readSettledOfAccount(db, accountId, range),
    (db) => feed.readSettledOfAccount(db, accountId, { ...range, types: ['DEVICE_STATE'], deviceIds: [id] }),
    (db) => feed.selectNumbers(db, accountId, range),

    (db) => leases.insertLease(db, 'process', { seconds: 1, release: '1.0.0' }),
    (db) => leases.hasPreviousRelease(db),
    (db) => leases.renewLease(db, 'process', 1),
    (db) => leases.shortenLease(db, 'process', 1),
    (db) => leases.lockOwnLease(db, 'process'),
    (db) => leases.selectValidLeases(db, ['process']),
    (db) => leases.findExpiredLeases(db),
    (db) => leases.lockExpiredLease(db, 'process'),
    (db) => leases.deleteLease(db, 'process'),
    (db) => leases.notifyTakenOver(db, ['process']),
    // The statements for devices of one account and of several accounts differ. On a cluster, servers send only the
    // statements for one account.
    ...[[key], ...(isCluster ? [] : [[key, { accountId: 'unknown', deviceId: 'none' }]])].flatMap((keys): Send[] => [
      (db) => presence.lockDevices(db, keys),
      (db) => presence.findHolders(db, keys),
      // Ignore errors, because the unknown device violates a foreign key.
      (db) => presence.holdByProcess(db, keys, 'process').catch(() => {}),
      (db) => presence.releaseByProcess(db, keys, 'process'),
      (db) => presence.endTimedHolds(db, keys, 'over'),
      (db) => presence.activate(db, keys, serverSource),
      (db) => presence.deactivateUnheld(db, keys, serverSource),
      (db) => presence.touch(db, keys),
      (db) => serviceStates.endTimedServices(db, keys),
    ]),
    (db) => presence.holdForTime(db, accountId, [{ deviceId: id, seconds: 1, isExact: true }]),
    (db) => presence.findTimedOut(db, 1),
    (db) => presence.findHeldBy(db, 'process', 1),
    (db) => serviceStates.findDeviceIds(db, accountId, { ids: [service], inside: undefined }),
    (db) => serviceStates.lockServices(db, accountId, { ids: [service], deviceIds: [id] }),
    (db) => {
      const row = {
        id: service,
        deviceId: id,
        state: 'active',
        seconds: null,
        address: null,
        followed: 'active',
      } as const
      return serviceStates.saveServiceStates(db, accountId, { rows: [row], source: serverSource })
    },
    (db) => serviceStates.findTimedOutServices(db, 1),
    (db) => serviceStates.lockSweep(db),

    ...directTimeCalls({ accountId, device: id }),
    ...directBulkCalls({ accountId, device: id, bulkJob, now }),
    ...directWebhookCalls({ accountId, device: id, webhook, event, now }),

    (db) => heartbeat.recordHeartbeat(db, 'process'),
    (db) => heartbeat.removeWorker(db, 'process'),
    (db) => heartbeat.releaseJobsOfDead(db, 1),
    (db) => queue.putJobs(db, sweepJob, [{ key: 'key', payload: undefined, delay: 0 }]),
    (db) => queue.removeJob(db, 'key'),
    (db) => queue.rescheduleCrons(db, ['name'], 'key '),
    (db) => queue.countJobs(db),
    (db) => spending.notifySpending(db, ['payload']),
  ]
}
