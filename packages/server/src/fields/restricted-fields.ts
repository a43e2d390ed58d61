/**
 * The fields of `User` that restricted callers can select. The statements of these fields and of the mutations below
 * apply the restriction or read nothing about devices. Restricted callers can reach most other types only through these
 * fields and mutations. Those types therefore need no list.
 */
const openOfUser: readonly string[] = [
  ...['accessKeys', 'account', 'attribute', 'attributeInfo', 'attributeNames', 'attributes', 'bulkJob', 'bulkJobs'],
  ...['checkFilter', 'contexts', 'created', 'device', 'deviceTotals', 'devices', 'devicesUrl', 'email', 'eventCounts'],
  ...['events', 'eventsUrl', 'facets', 'freshness', 'history', 'id', 'limits', 'name', 'needs', 'overrides'],
  ...['presence', 'service', 'services', 'simulate', 'views'],
].map((field) => `User.${field}`)

const openMutations: readonly string[] = [
  ...['acceptInvitation', 'addService', 'appendBulk', 'cancelBulk', 'createAccessKey', 'createBulk', 'deleteAccessKey'],
  ...['deleteDevice', 'deleteDevices', 'leaveAccount', 'pauseBulk', 'previewBulk', 'registerDevice', 'removeService'],
  ...['renameService', 'reportState', 'resumeBulk', 'retryBulk', 'rotateAccessKey', 'rotateDeviceSecret', 'runBulk'],
  ...['setAttribute', 'setAttributes', 'setAttributesMany', 'setExpectedInterval', 'startBulk', 'undoBulk'],
  ...['updateAccessKey', 'updateDevice', 'updateService'],
].map((field) => `Mutation.${field}`)

/** The types whose fields restricted callers cannot select, except the fields in `openFields`. */
const closedTypes: ReadonlySet<string> = new Set(['Mutation', 'Subscription', 'User', 'Webhook'])

const openFields: ReadonlySet<string> = new Set([...openOfUser, ...openMutations, 'Subscription.events'])

export function isOpenToRestricted(field: string): boolean {
  const type = field.slice(0, field.indexOf('.'))
  return openFields.has(field) || !closedTypes.has(type)
}
