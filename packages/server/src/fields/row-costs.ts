import { rowsOfDocument } from '../features/access-keys/document-permissions.ts'
import { rowsOfUsage } from '../features/access-keys/key-usage.ts'
import { TYPICAL_CHANGES } from '../features/availability/availability.ts'
import { samplesRead } from '../features/availability/presence-samples.ts'
import type { DeviceListArguments } from '../features/devices/list/device-list-request.ts'
import { rowsRead } from '../features/devices/list/device-row-cost.ts'
import { ASSUMED_EVENTS, eventRowsRead } from '../features/events/event-row-cost.ts'
import type { EventListArguments } from '../features/events/events.ts'
import { rowsOfCheck } from '../features/filters/check-filter.ts'
import { historyRowsRead } from '../features/history/history-row-cost.ts'
import type { ServicesArguments } from '../features/services/list/service-list-arguments.ts'
import { serviceRowsRead } from '../features/services/list/services-list.ts'
import type { Arguments } from '../graphql/cost/response-object-count.ts'
import type { AccountSize, FieldRows, RowCosts } from '../graphql/cost/scanned-row-estimate.ts'
import { limits } from '../limits.ts'
import type { UserPresenceArgs } from '../resolvers.generated.ts'

/**
 * The row cost of each field, which is part of the field's rate-limit cost. The server does not start if an entry that
 * `RowCosts` requires is missing.
 */
export const rowCosts = ({ firstRecord }: { firstRecord: 0 | 1 }): RowCosts => ({
  'User.devices': (args, { devices, restriction }) => {
    const options = { devices, firstRecord, inside: restriction?.devices }
    const { page, total } = rowsRead(args as DeviceListArguments, options)
    return { rows: page.rows, total: total.rows }
  },
  'User.services': (args, { devices, restriction }) =>
    serviceRowsRead(args as ServicesArguments, { devices, firstRecord, inside: restriction?.devices }),
  'User.events': rowsOfEvents,
  'User.eventCounts': (_args, { events }) => ({ rows: Math.min(ASSUMED_EVENTS, events) }),
  // An index finds the events of each device. All devices of a list together have no more events than the account.
  'Device.events': (_args, { events }) => ({ rows: 0, total: events }),
  'Device.attributeHistory': (args, size) => rowsOfHistory(args, size, { ofDevices: true }),
  'Service.attributeHistory': (args, size) => rowsOfHistory(args, size, { ofDevices: true }),
  'User.attributeHistory': (args, size) => rowsOfHistory(args, size, { ofDevices: false }),
  // The server reads the events only if the request selects `changed` or `confirmed`, and a value's time is not stored.
  'Device.attributeInfo': (_args, { events }) => ({ rows: Math.min(ASSUMED_EVENTS, events) }),
  'Service.attributeInfo': (_args, { events }) => ({ rows: Math.min(ASSUMED_EVENTS, events) }),
  'User.attributeInfo': (_args, { events }) => ({ rows: Math.min(ASSUMED_EVENTS, events) }),
  'User.bulkJob': 0,
  'User.bulkJobs': 0,
  'BulkJob.items': ({ outcome, status }, { devices }) => ({
    rows: outcome == null && status == null ? 0 : devices,
    total: devices,
  }),
  'Mutation.createBulk': rowsOfTarget,
  'Mutation.runBulk': rowsOfTarget,
  // The server does not know the job before the mutation runs, so it charges for a job that reads every device.
  'Mutation.previewBulk': (_args, { devices }) => ({ rows: devices }),
  'Mutation.retryBulk': (_args, { devices }) => ({ rows: devices }),
  'Mutation.undoBulk': (_args, { devices }) => ({ rows: devices }),
  'Webhook.deliveries': (_args, { events }) => ({ rows: 0, total: events }),
  // The server reads the devices only if the summary of attribute names is out of date.
  'User.attributeNames': (_args, { devices }) => ({ rows: devices }),
  // Without columns, the file can contain all attributes in use, which the server must then list.
  'User.devicesUrl': ({ columns }, { devices }) => ({ rows: columns == null ? devices : 0 }),
  'User.facets': (_args, { devices }) => ({ rows: devices }),
  'User.deviceTotals': (_args, { devices }) => ({ rows: devices }),
  'User.freshness': 0,
  // One statement counts the stale devices of all names in a list.
  'Freshness.stale': (_args, { devices }) => ({ rows: devices }),
  'User.presence': (args) => ({ rows: samplesRead(args as UserPresenceArgs) }),
  // Most devices change their state much less often than the account records events.
  'Device.availability': (_args, { events }) => ({ rows: Math.min(events, TYPICAL_CHANGES) }),
  'Availability.segments': 0,
  'Facet.buckets': 0,
  // For completions, the server reads the values of a sample of devices.
  'User.checkFilter': (args, size) => ({ rows: rowsOfCheck(args, size) }),
  'FilterCheck.completions': 0,
  'FilterCheck.problems': 0,
  'FilterCheck.terms': 0,
  'FilterCheck.warnings': 0,
  'Query.applicationTypes': 0,
  'User.device': 0,
  'User.service': 0,
  'User.accessKeys': 0,
  'AccessKey.usage': (args) => rowsOfUsage(args),
  'AccessKey.unused': (args) => rowsOfUsage(args),
  'KeyPolicy.violations': 0,
  // The cost covers the parsing and validation of the document.
  'User.needs': (args) => ({ rows: rowsOfDocument(args as { document: string }) }),
  'User.simulate': ({ document }) => ({ rows: typeof document === 'string' ? rowsOfDocument({ document }) : 0 }),
  'Simulation.devices': (_args, { devices }) => ({ rows: devices }),
  'Simulation.permissions': 0,
  'User.registrationCodes': 0,
  'User.webhooks': 0,
  'User.views': 0,
  'User.members': 0,
  'User.invitations': 0,
  // For each role, the server counts the members and the open invitations.
  'User.roles': () => ({ rows: limits.members + limits.invitations }),
  'Me.accounts': 0,
  'View.columns': 0,
  'View.problems': 0,
  'View.usedBy': 0,
  'User.limits': 0,
  'Device.services': 0,
  'Event.target': 0,
  'Mutation.setAttributesMany': 0,
})

/** Returns the row cost of previewing a bulk job: all devices, or none if the target contains IDs or CSV. */
function rowsOfTarget({ target }: Arguments, { devices }: AccountSize): FieldRows {
  const { ids, csv } = (target ?? {}) as { ids?: unknown; csv?: unknown }
  return { rows: ids == null && csv == null ? devices : 0 }
}

function rowsOfHistory(args: Arguments, { events }: AccountSize, kind: { ofDevices: boolean }): FieldRows {
  const { page, total } = historyRowsRead(args, kind)
  return { rows: Math.min(page.rows, events), total: Math.min(total.rows, events) }
}

function rowsOfEvents(args: Arguments, { events }: AccountSize): FieldRows {
  const { page, total } = eventRowsRead(args as EventListArguments)
  return { rows: Math.min(page.rows, events), total: Math.min(total.rows, events) }
}
