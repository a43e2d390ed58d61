export type { ContextOptions, TargetAttributes } from './attributes/attributes.ts'
export type { SetManyItem, SetManyOptions, SetManyOutcome } from './attributes/set-many.ts'
export type { BulkProgress, FollowBulkOptions } from './bulk/follow-bulk-job.ts'
export { type ConcurrencyOptions, forEachConcurrently } from './concurrency.ts'
export type { TypedDocument } from './documents/typed-document.ts'
export {
  BadAnswerError,
  BadUserInputError,
  ConflictError,
  type ErrorDetails,
  errorOf,
  ForbiddenError,
  type GraphQLProblem,
  InternalError,
  LimitExceededError,
  MusterError,
  NoAnswerError,
  NotFoundError,
  OutcomeUnknownError,
  PersistedQueryNotFoundError,
  QueryTooComplexError,
  RateLimitedError,
  ReservedAttributeError,
  UnauthenticatedError,
  UnavailableError,
  UnreachableError,
} from './errors.ts'
export type { EventOptions } from './events/follow-events.ts'
export type { List, PageOptions } from './lists/list.ts'
export type {
  DeliveryListOptions,
  DeviceListOptions,
  PastEventListOptions,
  ServiceListOptions,
} from './lists/list-options.ts'
export type { Page } from './lists/pages.ts'
export { Muster, type MusterOptions, type QueryOptions } from './muster.ts'
export type {
  AccessKey,
  ApplicationType,
  AttributeInfo,
  AttributeName,
  AttributesResult,
  CreatedAccessKey,
  CreatedRegistrationCode,
  Device,
  DeviceRegistration,
  Event,
  EventTarget,
  EventType,
  FilterKind,
  Invitation,
  Limit,
  Member,
  Mutations,
  ObjectTypes,
  Permission,
  RegistrationCode,
  Role,
  Service,
  ServiceInput,
  UserReference,
  View,
  Webhook,
  WebhookDelivery,
} from './schema/types.generated.ts'
export type { Selected, Selection } from './select/selection.ts'
export { generateKeyPair, type SigningKey } from './sign/keys.ts'
export type { Sign, SignatureForm, Unsigned } from './sign/signer-from-credentials.ts'
export type { GraphQLResponse } from './transport/response.ts'
export type { AttributeChanges, Attributes, CallOptions } from './types.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookData,
  type WebhookDelivered,
  WebhookError,
  type WebhookHeaders,
  type WebhookReason,
} from './webhooks/verify-webhook.ts'
