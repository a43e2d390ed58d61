/**
 * Where the rows of each table are in a cluster that shards by account: on the node of their account; whole on every node; or on the
 * coordinator alone.
 */
export type Class = 'distributed' | 'reference' | 'local'

const distributed = [
  ...['device', 'device_live', 'device_hold', 'device_count', 'service', 'service_live', 'attribute_override', 'event'],
  ...['attribute_name', 'attribute_name_summary'],
  ...['webhook', 'webhook_sending', 'webhook_delivery', 'idempotency_record'],
]

/** What callers are known by, before it is known whose account it is, and what is found nowhere but there: little, and read everywhere. */
const reference = [
  ...['account', 'access_key', 'session', 'account_totp', 'passkey', 'registration_code'],
  ...['server_setting', 'server_process'],
]

/** What no row of an account is ever joined with. */
const local = ['used_nonce', 'sign_in_step', 'sign_in_tries', 'webhook_cursor', 'job_worker']

/** Of what Muster keeps about its own schema. */
const isOfMigrations = (table: string): boolean => /^migration(_|$)/.test(table)

/** Undefined for a table that is in none, and so must be put into one. */
export function classOf(table: string): Class | undefined {
  if (distributed.includes(table)) return 'distributed'
  if (reference.includes(table)) return 'reference'
  return local.includes(table) || isOfMigrations(table) ? 'local' : undefined
}

export const classedTables: readonly string[] = [...distributed, ...reference, ...local]
