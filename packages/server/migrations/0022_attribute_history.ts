import type { Step } from '../src/db/migration.ts'

/** Indexes the changes of an account's own attributes, which the index of device events does not contain. */
export const steps: readonly Step[] = [
  {
    index: 'event_of_account_attributes',
    on: 'event',
    as: `(account_id, id) where device_id is null and type = 'ATTRIBUTE_CHANGE'`,
  },
]
