import { filterLimits } from '@muster/filter'

/**
 * Contains all limits of the API. Lengths count characters (Unicode code points), and sizes count bytes of UTF-8.
 * `login { limits }` lists the limits under these names, and docs/reference/limits.md describes them.
 */
export const limits = {
  /** The maximum number of characters per level of an attribute name. */
  nameLength: 128,
  /** The maximum number of bytes per attribute value. */
  valueBytes: 16 * 1024,
  /** The maximum number of attribute names per target and context. */
  namesPerTarget: 200,
  /** The maximum number of bytes of names and values per target and context. */
  bytesPerTarget: 64 * 1024,
  contextsPerTarget: 64,
  /**
   * The maximum number of names that `attributeNames` lists. It lists the names that the most devices and services use.
   */
  attributeNames: 10_000,
  contextLength: 64,
  deviceNameLength: 100,
  serviceNameLength: 100,
  hardwareIdLength: 200,
  platformLength: 200,
  /** The maximum number of characters in a service's host (RFC 1035 §2.3.4). */
  hostLength: 253,
  servicesPerDevice: 100,
  /** The maximum number of access keys that a person can create in an account. */
  accessKeys: 10,
  accountAccessKeys: 200,
  networksPerKey: 50,
  accessKeyNameLength: 100,
  /** The maximum number of registration codes per user. */
  registrationCodes: 100,
  /** The number of days that an expired registration code stays in lists. */
  expiredCodeDays: 7,
  /** The maximum number of webhooks per user. */
  webhooks: 20,
  webhookNameLength: 100,
  webhookUrlLength: 2_000,
  /** The maximum number of saved views per user. */
  views: 200,
  viewNameLength: 100,
  /** The maximum number of attribute names per user with an expected interval. */
  expectedIntervals: 50,
  /** The maximum number of bulk jobs per user that have not been started. */
  bulkDrafts: 20,
  /** The maximum number of devices per bulk job. */
  bulkTargets: 1_000_000,
  bulkOperations: 20,
  /** The maximum number of names in braces in a bulk job's operations. */
  bulkPlaceholders: 100,
  /** The maximum number of bytes that a bulk job's operations write to one device. */
  bulkValueBytes: 64 * 1024,
  bulkNameLength: 100,
  /** The maximum number of bytes of CSV that one request adds to a bulk job. */
  bulkCsvBytes: 1024 * 1024,
  /** The maximum number of CSV rows that one request adds to a bulk job. */
  bulkRows: 10_000,
  /** The number of days that a bulk job is kept after it ends. */
  bulkDays: 30,
  userNameLength: 100,
  /**
   * The maximum number of bytes of attributes, overrides, and services that an event keeps when a device or service is
   * deleted.
   */
  deletedBytes: 256 * 1024,
  /** The maximum number of members per account. */
  members: 500,
  /** The maximum number of custom roles per account. */
  roles: 50,
  roleNameLength: 100,
  /** The maximum number of single sign-on groups per role. */
  roleGroups: 50,
  /** The maximum number of open invitations per account. */
  invitations: 100,
  /** The maximum number of records per page. */
  pageSize: 1_000,
  idsPerList: 1_000,
  /** The maximum number of characters in a filter. */
  filterLength: filterLimits.filterLength,
  /** The maximum number of restrictions in a filter. A list of values counts as a fifth of its values. */
  filterTerms: filterLimits.filterTerms,
  /** The maximum number of nested parentheses in a filter. */
  filterDepth: filterLimits.filterDepth,
  /** The maximum number of values with wildcards in a filter. */
  filterPatterns: filterLimits.filterPatterns,
  /** The maximum number of names in `facets(by:)`. */
  facetNames: 8,
  /** The maximum number of characters in the token of a download link. */
  downloadLinkLength: 13_000,
  idempotencyKeyLength: 255,
  /** The maximum number of Idempotency-Keys per account in 24 hours. */
  idempotencyRecords: 250_000,
  /** The maximum number of characters in a response that is stored for repeated requests. */
  idempotentResponseLength: 4_096,
  /** The maximum number of statements per user that wait for the database, on each server process. */
  waitingStatements: 1_000,
  requestBodyBytes: 1024 * 1024,
  /** The maximum number of bytes in a device's request body. */
  deviceBodyBytes: 64 * 1024,
  queryDepth: 12,
  introspectionDepth: 20,
  /** The maximum number of times that a selection can contain one field under different aliases. */
  aliasesPerField: 15,
  /** The maximum number of fields in a document that can each read thousands of records without returning them. */
  walkingFields: 10,
  documentTokens: 2_000,
  /** The maximum number of objects that a response could contain, counted once the variables are known. */
  answerObjects: 500_000,
  answerBytes: 32 * 1024 * 1024,
} as const satisfies Record<string, number>

export type LimitName = keyof typeof limits

/** Describes what each limit counts, for the documentation. */
export const limitMeanings: Readonly<Record<LimitName, string>> = {
  nameLength: 'characters in each level of an attribute name',
  valueBytes: 'bytes in an attribute value',
  namesPerTarget: 'attribute names per target, in the base and in each context',
  bytesPerTarget: "bytes in one target's attributes as JSON, in the base and in each context",
  contextsPerTarget: 'contexts per target',
  attributeNames: 'names that attributeNames lists. These are the names that the most devices and services use.',
  contextLength: 'characters in a context',
  deviceNameLength: 'characters in a device name',
  serviceNameLength: 'characters in a service name',
  hardwareIdLength: 'characters in a hardware ID',
  platformLength: 'characters in a platform',
  hostLength: "characters in a service's host (RFC 1035 §2.3.4)",
  servicesPerDevice: 'services per device, not counting its bulk service',
  accessKeys: 'access keys that a person creates in an account, without rotated keys',
  accountAccessKeys: 'account keys per account',
  networksPerKey: 'networks per access key',
  accessKeyNameLength: 'characters in an access key name',
  registrationCodes: 'registration codes per user',
  expiredCodeDays: 'days that an expired registration code stays in lists',
  webhooks: 'webhooks per user',
  webhookNameLength: 'characters in a webhook name',
  webhookUrlLength: 'characters in a webhook URL',
  views: 'saved views per user',
  viewNameLength: 'characters in a view name',
  expectedIntervals: 'attribute names with an expected interval per user',
  bulkDrafts: 'bulk jobs per user that have not been started',
  bulkTargets: 'devices per bulk job',
  bulkOperations: 'operations per bulk job',
  bulkPlaceholders: "names in braces in a bulk job's operations",
  bulkValueBytes: "bytes in the values that a bulk job's operations write to one device",
  bulkNameLength: 'characters in a bulk job name',
  bulkCsvBytes: 'bytes of CSV that a request adds to a bulk job',
  bulkRows: 'CSV rows that a request adds to a bulk job',
  bulkDays: 'days after its end until the server deletes a bulk job, which then cannot be undone',
  userNameLength: 'characters in a user name',
  deletedBytes:
    "bytes of attributes, overrides, and services in a device's DEVICE_DELETE event. If the data is larger, the event contains omitted: true instead.",
  members: 'members per account',
  roles: 'custom roles per account',
  roleNameLength: 'characters in a role name',
  roleGroups: 'single sign-on groups per role',
  invitations: 'open invitations per account',
  pageSize: 'records per page',
  idsPerList: 'IDs or items in a list argument',
  filterLength: 'characters in a filter',
  filterTerms: 'conditions in a filter. In a list of values, five values count as one condition.',
  filterDepth: 'levels of parentheses in a filter',
  filterPatterns: 'values with wildcards in a filter',
  facetNames: 'names in facets(by:)',
  downloadLinkLength:
    'characters in a download link after `link=`. A long filter, many columns, or many device IDs make a link long.',
  idempotencyKeyLength: 'characters in an Idempotency-Key',
  idempotencyRecords: 'Idempotency-Keys that an account uses in 24 hours',
  idempotentResponseLength:
    "characters in a response's data that the server stores for repeats. If the data is longer, a repeat fails with CONFLICT.",
  waitingStatements: 'statements per user that wait for the database, on each server process',
  requestBodyBytes: 'bytes in a request body',
  deviceBodyBytes: 'bytes in the body of a request to /devices/v1',
  queryDepth: 'levels in a document, not counting introspection',
  introspectionDepth: 'levels of introspection fields in a document',
  aliasesPerField: 'times that a selection can contain one field under different aliases',
  walkingFields: 'fields in a document that can each read 2,000 or more records without returning them',
  documentTokens: 'tokens in a document',
  answerObjects: "objects that a response could contain, given the request's variables",
  answerBytes: 'bytes in a response',
}
