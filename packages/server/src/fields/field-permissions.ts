import { type GraphQLSchema, isObjectType } from 'graphql'
import { permissionsNeeded } from '../features/bulk/access/job-permissions.ts'
import type { FieldRules, Need } from '../graphql/access/needed-permissions.ts'
import type { Arguments } from '../graphql/cost/response-object-count.ts'

/**
 * Who can select a field: `anyone`, even without credentials, or a `viewer`, which is a caller with any valid
 * credentials. If the rule is a list, the caller needs all permissions in it. If an entry is itself a list, one
 * permission of that list is enough. A function returns the list for the field's arguments.
 */
export type Rule = 'anyone' | 'viewer' | readonly Need[] | ((args: Arguments) => readonly Need[])

const withAttributes =
  (permission: Need) =>
  ({ attributes }: Arguments): readonly Need[] =>
    attributes == null ? [permission] : [permission, 'ATTRIBUTE_WRITE']

/** Omits the permissions for the columns of a CSV file, because the server has not read the file yet. */
const forOperations = ({ operations, target }: Arguments): readonly Need[] => [
  'DEVICE_READ',
  ...(Array.isArray(operations) ? permissionsNeeded(operations as object[]) : []),
  ...((target as { register?: unknown } | undefined)?.register === true ? (['DEVICE_CREATE'] as const) : []),
]

const ofBulkJob: readonly Need[] = [
  'DEVICE_READ',
  ['ATTRIBUTE_WRITE', 'DEVICE_WRITE', 'DEVICE_DELETE', 'DEVICE_CREATE'],
]

/** A caller with only KEY_OWN can see and change only the caller's own personal keys. */
const ofOwnKeys: Need = ['KEY_MANAGE', 'KEY_OWN']

/**
 * `Type.*` is the rule for all fields of a type that have no entry. The server does not start if a field has no rule.
 * All fields below `login` return only data of the viewer's account. A read-only key cannot run mutations, regardless
 * of its permissions.
 */
export const permissions: Readonly<Record<string, Rule>> = {
  'Query.applicationTypes': 'viewer',
  'Query.login': 'viewer',
  'Query.me': 'viewer',
  'Query.version': 'anyone',

  // These mutations apply only to the signed-in person's own memberships.
  'Mutation.acceptInvitation': 'viewer',
  'Mutation.leaveAccount': 'viewer',

  'Mutation.addService': ['DEVICE_WRITE'],
  // A job needs the permissions of all its operations, which the use case checks.
  'Mutation.appendBulk': ofBulkJob,
  'Mutation.cancelBulk': ofBulkJob,
  'Mutation.createBulk': forOperations,
  'Mutation.pauseBulk': ofBulkJob,
  'Mutation.previewBulk': ofBulkJob,
  'Mutation.resumeBulk': ofBulkJob,
  'Mutation.retryBulk': ofBulkJob,
  'Mutation.runBulk': forOperations,
  'Mutation.startBulk': ofBulkJob,
  'Mutation.undoBulk': ofBulkJob,
  'Mutation.createAccessKey': ({ personal }) => (personal === true ? [ofOwnKeys] : ['KEY_MANAGE']),
  'Mutation.createInvitation': ['MEMBER_MANAGE'],
  'Mutation.createRegistrationCode': withAttributes('DEVICE_CREATE'),
  'Mutation.createRole': ['MEMBER_MANAGE'],
  'Mutation.createView': ['VIEW_MANAGE'],
  'Mutation.createWebhook': ['WEBHOOK_MANAGE'],
  'Mutation.deleteAccessKey': [ofOwnKeys],
  'Mutation.deleteDevice': ['DEVICE_DELETE'],
  'Mutation.deleteDevices': ['DEVICE_DELETE'],
  'Mutation.deleteInvitation': ['MEMBER_MANAGE'],
  'Mutation.deleteRegistrationCode': ['DEVICE_CREATE'],
  'Mutation.deleteRole': ['MEMBER_MANAGE'],
  'Mutation.deleteView': ['VIEW_MANAGE'],
  'Mutation.deleteWebhook': ['WEBHOOK_MANAGE'],
  'Mutation.redeliver': ['WEBHOOK_MANAGE'],
  'Mutation.registerDevice': withAttributes('DEVICE_CREATE'),
  'Mutation.removeMember': ['MEMBER_MANAGE'],
  'Mutation.removeService': ['DEVICE_WRITE'],
  'Mutation.renameService': ['DEVICE_WRITE'],
  'Mutation.reportState': ['STATE_REPORT'],
  'Mutation.resendInvitation': ['MEMBER_MANAGE'],
  'Mutation.rotateAccessKey': [ofOwnKeys],
  'Mutation.rotateDeviceSecret': ['DEVICE_SECRET'],
  'Mutation.rotateWebhookSecret': ['WEBHOOK_MANAGE'],
  'Mutation.setAttribute': ['ATTRIBUTE_WRITE'],
  'Mutation.setAttributes': ['ATTRIBUTE_WRITE'],
  'Mutation.setAttributesMany': ['ATTRIBUTE_WRITE'],
  'Mutation.setExpectedInterval': ['ATTRIBUTE_WRITE'],
  'Mutation.setKeyPolicy': ['ACCOUNT_MANAGE'],
  'Mutation.setMemberRole': ['MEMBER_MANAGE'],
  'Mutation.testWebhook': ['WEBHOOK_MANAGE'],
  // The use case checks DEVICE_CREATE in the other account.
  'Mutation.transferDevices': ['DEVICE_DELETE'],
  'Mutation.updateAccessKey': [ofOwnKeys],
  'Mutation.updateAccount': ['ACCOUNT_MANAGE'],
  'Mutation.updateDevice': ['DEVICE_WRITE'],
  'Mutation.updateRole': ['MEMBER_MANAGE'],
  'Mutation.updateService': ['DEVICE_WRITE'],
  'Mutation.updateView': ['VIEW_MANAGE'],
  'Mutation.updateWebhook': ['WEBHOOK_MANAGE'],

  'Subscription.events': ['EVENT_READ'],

  // A caller with only KEY_OWN gets only the caller's own personal keys.
  'User.accessKeys': [['KEY_MANAGE', 'AUDIT_READ', 'KEY_OWN']],
  'User.account': 'viewer',
  'User.attribute': 'viewer',
  // Changes to the account's own attributes are events of the account, which require AUDIT_READ.
  'User.attributeHistory': ['EVENT_READ', 'AUDIT_READ'],
  'User.attributeInfo': 'viewer',
  'User.attributeNames': ['DEVICE_READ'],
  'User.attributes': 'viewer',
  'User.bulkJob': ['DEVICE_READ'],
  'User.bulkJobs': ['DEVICE_READ'],
  'User.checkFilter': ['DEVICE_READ'],
  'User.contexts': 'viewer',
  'User.created': 'viewer',
  'User.device': ['DEVICE_READ'],
  'User.deviceTotals': ['DEVICE_READ'],
  'User.devices': ['DEVICE_READ'],
  'User.devicesUrl': ['DEVICE_READ'],
  'User.email': 'viewer',
  'User.eventCounts': ['EVENT_READ'],
  'User.events': ['EVENT_READ'],
  'User.eventsUrl': ['EVENT_READ'],
  'User.facets': ['DEVICE_READ'],
  'User.freshness': ['DEVICE_READ'],
  'User.history': ['DEVICE_READ'],
  'User.id': 'viewer',
  'User.invitations': [['AUDIT_READ', 'MEMBER_MANAGE']],
  'User.keyPolicy': [['AUDIT_READ', 'KEY_MANAGE']],
  'User.limits': 'viewer',
  'User.members': [['AUDIT_READ', 'MEMBER_MANAGE']],
  'User.signInPolicy': [['AUDIT_READ', 'MEMBER_MANAGE']],
  'User.name': 'viewer',
  'User.needs': 'viewer',
  'User.overrides': 'viewer',
  'User.presence': ['DEVICE_READ'],
  'User.registrationCodes': ['DEVICE_CREATE'],
  'User.roles': [['AUDIT_READ', 'MEMBER_MANAGE']],
  'User.service': ['DEVICE_READ'],
  // Callers can simulate their own key, person, and role without a permission. For other keys, people, and roles, the
  // use case checks the permission.
  'User.simulate': ({ access }) => (access == null ? [] : ['KEY_MANAGE']),
  'User.services': ['DEVICE_READ'],
  'User.views': ['DEVICE_READ'],
  'User.webhooks': ['WEBHOOK_MANAGE'],

  'Device.*': ['DEVICE_READ'],
  'Device.attributeHistory': ['EVENT_READ'],
  'Device.events': ['EVENT_READ'],
  'Service.*': ['DEVICE_READ'],
  'Service.attributeHistory': ['EVENT_READ'],
  // The permission to change the policy does not include the permission to see every key.
  'KeyPolicy.violations': [['AUDIT_READ', 'KEY_MANAGE']],
  'View.*': ['DEVICE_READ'],
  // The mutation setExpectedInterval, which needs only ATTRIBUTE_WRITE, also returns Freshness.
  'Freshness.stale': ['DEVICE_READ'],
  'View.usedBy': ['VIEW_MANAGE'],
  // A delivery's event may be an event of the account, which requires AUDIT_READ.
  'WebhookDelivery.event': ['EVENT_READ', 'AUDIT_READ'],

  // Callers reach these types only through fields that have their own rules.
  'AccessKey.*': 'viewer',
  'AccountReference.*': 'viewer',
  'ApplicationType.*': 'viewer',
  'AttributeChange.*': 'viewer',
  'AttributeChangeList.*': 'viewer',
  'AttributeInfo.*': 'viewer',
  'AttributeName.*': 'viewer',
  'AttributeScope.*': 'viewer',
  'AttributesResult.*': 'viewer',
  'Availability.*': 'viewer',
  'AvailabilitySegment.*': 'viewer',
  'BulkCounts.*': 'viewer',
  'BulkItem.*': 'viewer',
  'BulkItemList.*': 'viewer',
  'BulkJob.*': 'viewer',
  'BulkJobList.*': 'viewer',
  'ChangeSource.*': 'viewer',
  'CreatedAccessKey.*': 'viewer',
  'CreatedRegistrationCode.*': 'viewer',
  'DeviceList.*': 'viewer',
  'DeviceRegistration.*': 'viewer',
  'DeviceTotals.*': 'viewer',
  'Event.*': 'viewer',
  'EventCount.*': 'viewer',
  'EventList.*': 'viewer',
  'EventTarget.*': 'viewer',
  'Facet.*': 'viewer',
  'FacetBucket.*': 'viewer',
  'FilterCheck.*': 'viewer',
  'FilterCompletion.*': 'viewer',
  'FilterProblem.*': 'viewer',
  'FilterTerm.*': 'viewer',
  'Freshness.*': 'viewer',
  'Grant.*': 'viewer',
  'HistorySpan.*': 'viewer',
  'Invitation.*': 'viewer',
  'KeyPolicy.*': 'viewer',
  'KeyUse.*': 'viewer',
  'Limit.*': 'viewer',
  'Me.*': 'viewer',
  'Member.*': 'viewer',
  'Membership.*': 'viewer',
  'Need.*': 'viewer',
  'PermissionVerdict.*': 'viewer',
  'Person.*': 'viewer',
  'PresencePoint.*': 'viewer',
  'RegistrationCode.*': 'viewer',
  'Role.*': 'viewer',
  'ServiceList.*': 'viewer',
  'Simulation.*': 'viewer',
  'UserReference.*': 'viewer',
  'ViewColumn.*': 'viewer',
  'Webhook.*': 'viewer',
  'WebhookDelivery.*': 'viewer',
  'WebhookDeliveryList.*': 'viewer',
}

const named = ['Query', 'Mutation', 'Subscription', 'User']

export function assertPermissions(schema: GraphQLSchema): void {
  const objectTypes = Object.values(schema.getTypeMap()).filter(isObjectType)
  const types = objectTypes.filter(({ name }) => !name.startsWith('__'))
  const fields = types.flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`))
  for (const field of fields) {
    const rule = ruleOf(field)
    if (rule === undefined) throw new Error(`${field} has no rule in field-permissions.ts: add one`)
    if (rule === 'anyone' && field !== 'Query.version')
      throw new Error(`${field} must not have the rule 'anyone', which only Query.version may have`)
  }
  const known = new Set([
    ...fields,
    ...types.filter(({ name }) => !named.includes(name)).map(({ name }) => `${name}.*`),
  ])
  const unknown = Object.keys(permissions).find((field) => !known.has(field))
  if (unknown !== undefined)
    throw new Error(
      `field-permissions.ts contains the rule ${unknown}, which must name a field or, except for ${named.join(', ')}, a type`,
    )
}

const ruleOf = (field: string): Rule | undefined => permissions[field] ?? permissions[field.replace(/\..*$/, '.*')]

export const fieldRules: FieldRules = (field) => {
  const rule = ruleOf(field)
  if (rule === undefined) throw new Error(`${field} has no rule in field-permissions.ts: add one`)
  return typeof rule === 'string' ? [] : rule
}

/** The query fields that need no credentials. */
export const publicFields: readonly string[] = Object.entries(permissions).flatMap(([field, rule]) =>
  rule === 'anyone' ? [field.replace('Query.', '')] : [],
)
