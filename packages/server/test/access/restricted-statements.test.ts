import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { keyOf, sendAsUser } from '../factories/keys.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { recordStatements } from '../statements/record.ts'
import { allowLocalWebhooks, createOwnedObjects, type OwnedObjects, startFailingReceiver } from './owned-objects.ts'
import { isClosedToRestricted } from './permission-table.ts'
import { everyField, type FieldRequest } from './type-queries.ts'

/**
 * The value in the restriction. The test assumes that a statement with this value as a parameter applies the
 * restriction.
 */
const MARKER = 'marker of the restriction'

const ofDevices =
  /\b(from|join|update|into)\s+(device|device_live|service|service_live|event|attribute_override|attribute_name|device_count)\b/

const found = 'reads data of devices that a restricted statement of the request found'
const locked = 'changes devices that a restricted statement of the transaction locked, or their data'
const size = 'counts the devices of the account to choose a query plan and a rate-limit cost'

/** Statements that may read or change the tables in `ofDevices` without the restriction, with the reasons. */
const exceptions: Readonly<Record<string, string>> = {
  'selectServicesOfDevices of features/services/services.queries.ts': found,
  'writeServicesOfDevices of features/services/services.queries.ts': found,
  'findOverrides of features/attributes/attributes.queries.ts': found,
  'listContexts of features/attributes/attributes.queries.ts': found,
  'findDeviceBases of features/attributes/attributes.queries.ts': found,
  'selectStoredServices of features/services/services-of-many-devices.queries.ts': found,
  'findServiceBases of features/attributes/attributes.queries.ts': found,
  'selectChanges of features/history/attribute-history.queries.ts': found,
  'selectChangeTimes of features/history/attribute-history.queries.ts': found,
  'countChanges of features/history/attribute-history.queries.ts': found,
  'selectStates of features/availability/availability.queries.ts': found,
  ...Object.fromEntries(
    [
      ...['deleteDeviceRows', 'deleteOverridesOfDevices', 'updateDeviceRow', 'lockStates'].map(
        (name) => `${name} of features/devices/changes/device-changes.queries.ts`,
      ),
      'selectDeletedContents of features/devices/changes/deleted-devices.queries.ts',
      'replaceSecret of features/devices/changes/device-secret.queries.ts',
      ...[
        'listContextsWithOverrides',
        'lockServices',
        'updateTarget',
        'updateTargets',
        'updateReserved',
        'upsertOverrides',
      ].map((name) => `${name} of features/attributes/attributes.queries.ts`),
      'deleteOverrides of features/attributes/attributes.queries.ts',
      ...['lockDevices', 'findHolders', 'holdForTime', 'activate', 'touch'].map(
        (name) => `${name} of features/presence/presence.queries.ts`,
      ),
      ...['endTimedHolds', 'releaseByProcess', 'deactivateUnheld'].map(
        (name) => `${name} of features/presence/presence.queries.ts`,
      ),
      ...['lockServices', 'saveServiceStates'].map((name) => `${name} of features/presence/service-states.queries.ts`),
      ...['countServices', 'insertService', 'updateServiceRow', 'deleteServiceRow'].map(
        (name) => `${name} of features/services/service-changes.queries.ts`,
      ),
      'changeDeviceCount of features/devices/device-count.queries.ts',
      'recordEvents of features/events/record.ts',
    ].map((name) => [name, locked]),
  ),
  'insertDevice of features/devices/changes/device-changes.queries.ts':
    'a restricted statement of the transaction then checks that the restriction includes the new device',
  'selectKnownNames of features/filters/known-names.queries.ts': 'reads only which names the account has used',
  'selectHardwareIds of features/bulk/bulk-items.queries.ts':
    'a hardware ID must be unique among all devices of the account',
  'countDevices of features/devices/list/device-list.queries.ts': size,
  'readAccountSize of rate-limits/account-sizes.queries.ts': size,
}

let app: TestApp
let receiver: Receiver
let own: OwnedObjects
let restricted: TestUser
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  own = await createOwnedObjects(app.owner, receiver)
  await app.owner.data(`mutation { setAttribute(serviceId: "${own.device}", name: "zone", value: "${MARKER}") }`)
  restricted = await keyOf(app, sendAsUser(app.owner), `access: { where: "zone = \\"${MARKER}\\"" }`)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const isOpen = ({ field }: FieldRequest): boolean => !isClosedToRestricted(field)
const isSubscription = ({ field }: FieldRequest): boolean => field.startsWith('Subscription.')

describe('every statement of a restricted key that reads devices or their data', () => {
  it('contains the restriction or is listed as an exception', async () => {
    const lists = [
      'devices(size: 1, sort: "name desc", name: "a", state: "inactive", from: 2)',
      'devices(size: 1, sortBy: ["name", "zone"], context: "night")',
      'devices(size: 1, attributes: { zone: "x" }, context: "night")',
      `devices(size: 1, after: ${JSON.stringify(own.device)})`,
      `devices(size: 1, sortBy: ["name", "created"], after: ${JSON.stringify(own.device)})`,
      `services(sortBy: ["port"], after: ${JSON.stringify(own.service)})`,
      'services(where: "device.name:a")',
    ].map((list) => `{ login { ${list} { total items { id } } } }`)
    const csv = JSON.stringify(`name,hardwareId,zone\nother,other,${MARKER}\nnew,new,${MARKER}\n`)
    const jobs = [
      `target: { where: "name:*" }, operations: [{ update: { hardwareId: "x" } }, { addService: { name: "x" } }]`,
      `target: { ids: [${JSON.stringify(own.device)}] }, operations: [{ removeService: { where: "name = x" } }]`,
      `target: { csv: ${csv}, register: true }, operations: []`,
    ].map(
      (job) =>
        `mutation { createBulk(${job}) { reportUrl items(outcome: [CHANGE]) { total items { device { id } } } } }`,
    )
    const documents = everyField(buildSchema())
      .filter((request) => isOpen(request) && !isSubscription(request))
      .map(({ document }) => document(own))
    const without = new Map<string, string>()
    const recording = recordStatements(app.db, ({ text, sender = 'an unknown sender', parameters }) => {
      if (!ofDevices.test(text) || JSON.stringify(parameters).includes(MARKER)) return
      if (!(sender in exceptions)) without.set(sender, text.trim().replaceAll(/\s+/g, ' '))
    })
    try {
      for (const document of [...documents, ...lists, ...jobs]) {
        // The server compiles a document only on its second use, so send each document twice.
        for (let use = 1; use <= 2; use++) await restricted.query(document)
      }
    } finally {
      recording.stop()
    }
    expect(Object.fromEntries(without)).toEqual({})
  })
})
