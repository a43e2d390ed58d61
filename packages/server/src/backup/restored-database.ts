import type pg from 'pg'
import { availableKeys, type MasterKeySettings } from '../auth/master-key/master-key.ts'
import { createSecrets } from '../auth/secrets.ts'
import { BackupError } from './backup-error.ts'
import { restartSequence } from './backup-tables.queries.ts'

/**
 * The number of values that a restore skips in each sequence. Events that were recorded after the backup may have used
 * some of these values. Receivers would mistake new events with the same IDs for the earlier events.
 */
const SKIPPED_NUMBERS = 1_000_000_000n

export async function skipNumbers(client: pg.ClientBase, sequences: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    await restartSequence(client, name, BigInt(last) + SKIPPED_NUMBERS)
  }
}

/** Throws a BackupError unless the master key for each check value in `masterKeys` is available. */
export function assertKeys(masterKeys: readonly string[], config: MasterKeySettings): void {
  const available = availableKeys(config).map((key) => createSecrets(key).checkValue)
  if (masterKeys.every((key) => available.includes(key))) return
  const found = available.length === 0 ? 'not available' : 'not among the configured master keys'
  throw new BackupError('other-key', `A master key that encrypts secrets in the backup is ${found}.`)
}
