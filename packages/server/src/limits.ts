/**
 * Every bound that the API keeps, in one place. Lengths are counted in characters (Unicode code points), sizes in bytes of
 * UTF-8. `login { limits }` lists them under these names; docs/reference/limits.md says what each is for.
 */
export const limits = {
  /** Characters a level of an attribute name. */
  nameLength: 128,
  /** Bytes an attribute value. */
  valueBytes: 16 * 1024,
  /** Attribute names a target and context. */
  namesPerTarget: 200,
  /** Bytes of names and values a target and context. */
  bytesPerTarget: 64 * 1024,
  contextsPerTarget: 64,
  /** Names that `attributeNames` lists: those on the most devices and services. */
  attributeNames: 10_000,
  contextLength: 64,
  deviceNameLength: 100,
  serviceNameLength: 100,
  hardwareIdLength: 200,
  platformLength: 200,
  /** Characters the host a service is reached at (RFC 1035 §2.3.4). */
  hostLength: 253,
  servicesPerDevice: 100,
  /** Access keys a user. */
  accessKeys: 10,
  accessKeyNameLength: 100,
  /** Registration codes a user. */
  registrationCodes: 100,
  /** Days that an expired registration code stays in lists. */
  expiredCodeDays: 7,
  /** Webhooks a user. */
  webhooks: 20,
  webhookNameLength: 100,
  webhookUrlLength: 2_000,
  userNameLength: 100,
  /** Records a page. */
  pageSize: 1_000,
  idsPerList: 1_000,
  idempotencyKeyLength: 255,
  /** Idempotency-Keys of an account in 24 hours. */
  idempotencyRecords: 250_000,
  /** Characters of a response that is stored for a repeat. */
  idempotentResponseLength: 4_096,
  /** Statements of a user that wait for the database, on each process. */
  waitingStatements: 1_000,
  requestBodyBytes: 1024 * 1024,
  /** Bytes of what a device posts. */
  deviceBodyBytes: 64 * 1024,
  queryDepth: 12,
  introspectionDepth: 20,
  /** Times that one field may stand in one selection under different aliases. */
  aliasesPerField: 15,
  /** Fields of a document that may each read thousands of records that they do not return. */
  walkingFields: 10,
  documentTokens: 2_000,
  /** Objects that an answer could hold, judged once the variables are known. */
  answerObjects: 500_000,
  answerBytes: 32 * 1024 * 1024,
} as const satisfies Record<string, number>

export type LimitName = keyof typeof limits

/** What each bounds, for the docs. */
export const limitMeanings: Readonly<Record<LimitName, string>> = {
  nameLength: 'characters of each level of an attribute name',
  valueBytes: 'bytes of an attribute value',
  namesPerTarget: 'attribute names of one target, in the base and in each context',
  bytesPerTarget: 'bytes of the attributes of one target as JSON text, in the base and in each context',
  contextsPerTarget: 'contexts of one target',
  attributeNames: 'names that attributeNames lists, those on the most devices and services',
  contextLength: 'characters of a context',
  deviceNameLength: 'characters of a device name',
  serviceNameLength: 'characters of a service name',
  hardwareIdLength: 'characters of a hardware id',
  platformLength: 'characters of a platform',
  hostLength: 'characters of the host a service is reached at (RFC 1035 §2.3.4)',
  servicesPerDevice: 'services of a device, its bulk service apart',
  accessKeys: 'access keys of a user',
  accessKeyNameLength: 'characters of the name of an access key',
  registrationCodes: 'registration codes of a user',
  expiredCodeDays: 'days that an expired registration code stays in lists',
  webhooks: 'webhooks of a user',
  webhookNameLength: 'characters of the name of a webhook',
  webhookUrlLength: 'characters of the URL of a webhook',
  userNameLength: 'characters of a user name',
  pageSize: 'records of a page',
  idsPerList: 'ids, or items, in one list that an argument takes',
  idempotencyKeyLength: 'characters of an Idempotency-Key',
  idempotencyRecords: 'Idempotency-Keys that an account uses in 24 hours',
  idempotentResponseLength:
    'characters of the data of a response that is stored for repeats; the repeat of a longer one is CONFLICT',
  waitingStatements: 'statements of a user that wait for the database, on each server process',
  requestBodyBytes: 'bytes of a request body',
  deviceBodyBytes: 'bytes of the body of a request to /devices/v1',
  queryDepth: 'levels of a document, introspection apart',
  introspectionDepth: 'levels of introspection fields in a document',
  aliasesPerField: 'times one field may stand in one selection under different names',
  walkingFields: 'fields of a document that may each read 2,000 or more records without returning them',
  documentTokens: 'tokens of a document',
  answerObjects: 'objects that an answer could hold once the variables are known',
  answerBytes: 'bytes of an answer',
}
