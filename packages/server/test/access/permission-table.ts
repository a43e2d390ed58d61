/**
 * The fields that need each permission according to the contract. The table does not use `src/fields/`, which the tests
 * check. In the names of this object's members, a space means "and", and `|` means "or".
 */
const fieldsByPermission: Readonly<Record<string, string>> = {
  '': `Query.login Query.me Query.applicationTypes Query.version
    User.id User.email User.name User.created User.account User.limits User.attribute User.attributes User.attributeInfo User.contexts User.needs
    User.simulate
    User.overrides Mutation.acceptInvitation Mutation.leaveAccount`,
  DEVICE_READ: `User.device User.devices User.devicesUrl User.service User.services User.attributeNames User.facets
    User.deviceTotals User.bulkJob User.bulkJobs User.presence User.checkFilter User.freshness User.history User.views Device.* Service.* View.*
    Freshness.stale`,
  EVENT_READ: `User.events User.eventsUrl User.eventCounts Device.events Subscription.events
    Device.attributeHistory Service.attributeHistory`,
  'EVENT_READ AUDIT_READ': 'User.attributeHistory WebhookDelivery.event',
  'AUDIT_READ|MEMBER_MANAGE': 'User.members User.roles User.invitations User.signInPolicy',
  'KEY_MANAGE|AUDIT_READ|KEY_OWN': 'User.accessKeys',
  WEBHOOK_MANAGE: `User.webhooks Mutation.createWebhook Mutation.updateWebhook Mutation.deleteWebhook
    Mutation.rotateWebhookSecret Mutation.testWebhook Mutation.redeliver`,
  DEVICE_CREATE: `Mutation.registerDevice Mutation.createRegistrationCode Mutation.deleteRegistrationCode
    User.registrationCodes`,
  DEVICE_WRITE: `Mutation.updateDevice Mutation.renameService Mutation.addService Mutation.updateService
    Mutation.removeService`,
  DEVICE_DELETE: 'Mutation.deleteDevice Mutation.deleteDevices Mutation.transferDevices',
  DEVICE_SECRET: 'Mutation.rotateDeviceSecret',
  'DEVICE_READ ATTRIBUTE_WRITE': 'Mutation.createBulk Mutation.runBulk',
  'DEVICE_READ ATTRIBUTE_WRITE|DEVICE_WRITE|DEVICE_DELETE|DEVICE_CREATE': `Mutation.appendBulk Mutation.cancelBulk Mutation.pauseBulk
    Mutation.previewBulk Mutation.resumeBulk Mutation.retryBulk Mutation.startBulk Mutation.undoBulk`,
  STATE_REPORT: 'Mutation.reportState',
  ATTRIBUTE_WRITE: `Mutation.setAttribute Mutation.setAttributes Mutation.setAttributesMany
    Mutation.setExpectedInterval`,
  VIEW_MANAGE: 'Mutation.createView Mutation.updateView Mutation.deleteView View.usedBy',
  KEY_MANAGE: 'Mutation.createAccessKey',
  'KEY_MANAGE|KEY_OWN': 'Mutation.updateAccessKey Mutation.deleteAccessKey Mutation.rotateAccessKey',
  'AUDIT_READ|KEY_MANAGE': 'User.keyPolicy KeyPolicy.violations',
  MEMBER_MANAGE: `Mutation.createInvitation Mutation.deleteInvitation Mutation.resendInvitation Mutation.setMemberRole
    Mutation.removeMember Mutation.createRole Mutation.updateRole Mutation.deleteRole`,
  ACCOUNT_MANAGE: 'Mutation.updateAccount Mutation.setKeyPolicy',
}

const viewer = ['DEVICE_READ', 'EVENT_READ', 'KEY_OWN']
const operator = [
  ...viewer,
  ...['DEVICE_WRITE', 'DEVICE_CREATE', 'ATTRIBUTE_WRITE', 'STATE_REPORT', 'ALERT_ACKNOWLEDGE', 'VIEW_MANAGE'],
]
const defaultKey = [
  ...operator,
  ...['DEVICE_DELETE', 'DEVICE_SECRET', 'WEBHOOK_MANAGE', 'ALERT_MANAGE', 'KEY_MANAGE', 'AUDIT_READ'],
]
/** A key's permissions. No role has exactly these permissions. */
const scopedKey = ['DEVICE_READ', 'ATTRIBUTE_WRITE', 'KEY_OWN', 'MEMBER_MANAGE']
const restrictedKey = defaultKey.filter(
  (name) => !['KEY_MANAGE', 'AUDIT_READ', 'WEBHOOK_MANAGE', 'ALERT_MANAGE', 'VIEW_MANAGE'].includes(name),
)
const admin = [...defaultKey, 'MEMBER_MANAGE', 'ACCOUNT_MANAGE']

/** The permissions of each role and of three keys. `defaultKey` has the permissions that a new key has by default. */
export const granted = { viewer, operator, admin, owner: admin, defaultKey, scopedKey, restrictedKey }

/** Fields that callers who are restricted to some devices cannot select, regardless of their permissions. */
const closedToRestricted = new Set(
  `User.registrationCodes Mutation.createRegistrationCode Mutation.deleteRegistrationCode Mutation.transferDevices
  User.attributeHistory`.split(/\s+/),
)

export const isClosedToRestricted = (field: string): boolean => closedToRestricted.has(field)

/** Returns the permissions that a field needs, as lists. The caller needs at least one permission from each list. */
export function needsOf(field: string): string[][] {
  const type = field.replace(/\..*/, '')
  const entries = Object.entries(fieldsByPermission)
  const found =
    entries.find(([, fields]) => fields.split(/\s+/).includes(field)) ??
    entries.find(([, fields]) => fields.split(/\s+/).includes(`${type}.*`))
  if (found === undefined) {
    if (['Query', 'Mutation', 'Subscription', 'User'].includes(type))
      throw new Error(`${field} has no permission: add the field to fieldsByPermission in permission-table.ts`)
    return []
  }
  return found[0] === '' ? [] : found[0].split(' ').map((need) => need.split('|'))
}
