/**
 * Where a table's rows are: on the account's node (`distributed`), on every node (`reference`), or only on the
 * coordinator (`local`).
 */
export type Placement = 'distributed' | 'reference' | 'local'

const distributed = [
  ...['account', 'membership', 'role', 'invitation', 'access_key', 'restricted_key', 'registration_code'],
  ...['device', 'device_live', 'device_hold', 'device_count', 'service', 'service_live', 'attribute_override', 'event'],
  ...['attribute_name', 'attribute_name_summary'],
  ...['saved_view', 'presence_sample', 'bulk_job', 'bulk_item', 'key_use', 'freshness'],
  ...['webhook', 'webhook_sending', 'webhook_delivery', 'webhook_candidate', 'idempotency_record'],
]

/**
 * Every node stores these tables, because a person can be a member of accounts on several nodes, and
 * `attribute_times_start` applies to all accounts.
 */
const reference = [
  ...['person', 'person_identity', 'session', 'sso_session', 'account_totp', 'passkey'],
  'attribute_times_start',
]

/** Only the coordinator stores these tables, because no list query joins them with rows of an account. */
const local = [
  // In a reference table, a lease would depend on every node, and a row lock would block transactions on only one node.
  'server_process',
  ...['used_nonce', 'sign_in_step', 'sign_in_tries', 'sso_attempt', 'command_line_request'],
  ...['webhook_cursor', 'job_worker', 'server_setting', 'event_ids_skipped'],
]

const isMigrationTable = (table: string): boolean => /^migration(_|$)/.test(table)

/** Returns the placement of a table, or undefined if it is unknown. Add each new table to one of the lists above. */
export function placementOf(table: string): Placement | undefined {
  if (distributed.includes(table)) return 'distributed'
  if (reference.includes(table)) return 'reference'
  return local.includes(table) || isMigrationTable(table) ? 'local' : undefined
}

/** Returns the column that contains the account ID, by which the rows of a distributed table are distributed. */
export const accountColumnOf = (table: string): string => (table === 'account' ? 'id' : 'account_id')

export const placedTables: readonly string[] = [...distributed, ...reference, ...local]
