/** The tables of a migrated database, as Kysely knows them. Made by `npm run generate`. */

import type { ColumnType } from 'kysely'

/** May be left out of a new row. */
export type Generated<T> =
  T extends ColumnType<infer Read, infer Inserted, infer Updated>
    ? ColumnType<Read, Inserted | undefined, Updated>
    : ColumnType<T, T | undefined, T>

export type Int8 = ColumnType<string, bigint | number | string, bigint | number | string>

export type Json = JsonValue

export type JsonValue = JsonValue[] | { [name: string]: JsonValue | undefined } | boolean | number | string | null

export type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface AccessKey {
  account_id: string
  algorithm: string
  created: Generated<Timestamp>
  enabled: Generated<boolean>
  encrypted_secret: Buffer | null
  expires: Timestamp | null
  key: string
  last_used: Timestamp | null
  name: string | null
  public_key: string | null
  read_only: Generated<boolean>
  require_digest: Generated<boolean>
}

export interface Account {
  attributes: Generated<Json>
  created: Generated<Timestamp>
  disabled: Timestamp | null
  email: string
  id: string
  name: string | null
  /** Top-level attribute names in contexts, each ["value" or "group", number of contexts]: what a write to the base must not contradict */
  override_names: Generated<Json>
  password_hash: string | null
  totp_enabled: Generated<boolean>
  updated: Generated<Timestamp>
}

export interface AccountPassword {
  account_id: string | null
  created: Timestamp | null
  id: string | null
  password_hash: string | null
  provider: string | null
  subject: string | null
  updated: Timestamp | null
}

export interface AccountTotp {
  account_id: string
  encrypted_backup_codes: string
  encrypted_secret: string
  failed: Generated<number>
  id: string
  locked_until: Timestamp | null
  verified: Generated<boolean>
}

export interface AttributeName {
  account_id: string
  devices: number
  last_changed: Timestamp | null
  name: string
  services: number
}

export interface AttributeNameSummary {
  account_id: string
  counted: Timestamp
  /** The counts include every event up to this one */
  event_id: Int8
}

export interface AttributeOverride {
  account_id: string
  attributes: Json
  context: string
  target_id: string
}

export interface Device {
  account_id: string
  attributes: Generated<Json>
  created: Generated<Timestamp>
  hardware_id: string | null
  id: string
  name: string
  override_names: Generated<Json>
  platform: string | null
  reregister_until: Timestamp | null
  secret_hash: Buffer | null
}

export interface DeviceCount {
  account_id: string
  devices: Int8
  id: Generated<string>
}

export interface DeviceHold {
  account_id: string
  device_id: string
  process_id: string | null
  until: Timestamp | null
}

export interface DeviceLive {
  account_id: string
  category_a: string | null
  category_b: string | null
  category_c: string | null
  category_d: string | null
  category_e: string | null
  device_id: string
  last_reported: Timestamp | null
  state: Generated<string>
  state_since: Generated<Timestamp>
  status_a: string | null
  status_b: string | null
  status_c: string | null
  status_d: string | null
  status_e: string | null
}

export interface Event {
  account_id: string
  actor_id: string | null
  data: Generated<Json>
  device_id: string | null
  id: Generated<Int8>
  /** kind: accessKey, console, device, or server; with accessKey also id and name, as of the event */
  source: Json | null
  state: string | null
  targets: Json
  timestamp: Generated<Timestamp>
  type: string
}

export interface IdempotencyRecord {
  account_id: string
  /** An access key, or "session " and the id of a session */
  caller: string
  created_id: string
  created_kind: string
  expires: Timestamp
  fingerprint: Buffer
  key: string
  /** The data of the response as JSON; null if it held a secret or was too large */
  response: string | null
}

export interface JobWorker {
  id: string
  seen: Generated<Timestamp>
}

export interface Passkey {
  aaguid: string | null
  account_id: string
  backed_up: boolean
  counter: number
  created: Generated<Timestamp>
  credential_id: string
  device_type: string
  id: string
  name: string | null
  public_key: string
  transports: string | null
}

export interface RegistrationCode {
  account_id: string
  attributes: Generated<Json>
  code_hash: Buffer
  created: Generated<Timestamp>
  expires: Timestamp
  id: string
  name: string | null
  platform: string | null
  prefix: string
  services: Generated<Json>
  used: Generated<number>
  uses: number
}

export interface ServerProcess {
  expires: Timestamp
  id: string
  started: Generated<Timestamp>
}

export interface ServerSetting {
  name: string
  value: string
}

export interface Service {
  account_id: string
  added_by_device: Generated<boolean>
  application: number
  attributes: Generated<Json>
  created: Generated<Timestamp>
  device_id: string
  enabled: Generated<boolean>
  host: string | null
  id: string
  name: string
  override_names: Generated<Json>
  port: number | null
}

export interface ServiceLive {
  account_id: string
  device_id: string
  last_reported: Timestamp
  service_id: string
  state: string
  state_since: Timestamp
  until: Timestamp | null
}

export interface Session {
  account_id: string
  address: string | null
  agent: string | null
  confirmed: Timestamp | null
  created: Generated<Timestamp>
  expires: Timestamp
  id: string
  /** Of no use by itself: the cookie carries it signed with a key that is not in the database */
  token: string
  updated: Generated<Timestamp>
}

export interface SignInStep {
  created: Generated<Timestamp>
  expires: Timestamp
  id: string
  identifier: string
  updated: Generated<Timestamp>
  value: string
}

export interface SignInTries {
  ends: Timestamp
  subject: string
  tries: number
}

export interface UsedNonce {
  expires: Timestamp
  key: string
  nonce: string
}

export interface Webhook {
  account_id: string
  created: Generated<Timestamp>
  enabled: Generated<boolean>
  encrypted_secret: Buffer
  events: string[]
  former_secret: Buffer | null
  former_secret_until: Timestamp | null
  id: string
  name: string | null
  paused: string | null
  url: string
}

export interface WebhookCursor {
  event_id: Int8
}

export interface WebhookDelivery {
  account_id: string
  attempts: Generated<number>
  body: string
  created: Generated<Timestamp>
  duration: number | null
  error: string | null
  event_id: Int8 | null
  http_status: number | null
  id: string
  next_attempt: Timestamp | null
  response: string | null
  status: Generated<string>
  tries: Generated<number>
  webhook_id: string
}

export interface WebhookSending {
  account_id: string
  failing_since: Timestamp | null
  failures: Generated<number>
  held_until: Timestamp | null
  holder: string | null
  probe_at: Timestamp | null
  webhook_id: string
}

export interface DB {
  access_key: AccessKey
  account: Account
  account_password: AccountPassword
  account_totp: AccountTotp
  attribute_name: AttributeName
  attribute_name_summary: AttributeNameSummary
  attribute_override: AttributeOverride
  device: Device
  device_count: DeviceCount
  device_hold: DeviceHold
  device_live: DeviceLive
  event: Event
  idempotency_record: IdempotencyRecord
  job_worker: JobWorker
  passkey: Passkey
  registration_code: RegistrationCode
  server_process: ServerProcess
  server_setting: ServerSetting
  service: Service
  service_live: ServiceLive
  session: Session
  sign_in_step: SignInStep
  sign_in_tries: SignInTries
  used_nonce: UsedNonce
  webhook: Webhook
  webhook_cursor: WebhookCursor
  webhook_delivery: WebhookDelivery
  webhook_sending: WebhookSending
}
