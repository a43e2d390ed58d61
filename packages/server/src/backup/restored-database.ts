import type pg from 'pg'
import { keysAtHand, type MasterKeySettings } from '../auth/master-key.ts'
import { createSecrets } from '../auth/secrets.ts'
import { restartSequence } from './backup.queries.ts'
import { BackupError } from './backup-error.ts'

/**
 * Event numbers between those in the backup and the next one. The numbers that were given to events after the backup are not
 * given again: receivers that remember what they have seen by its number would take new events for old ones.
 */
const SKIPPED_NUMBERS = 1_000_000_000n

export async function skipNumbers(client: pg.ClientBase, sequences: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    await restartSequence(client, name, BigInt(last) + SKIPPED_NUMBERS)
  }
}

/** `masterKeys`: check values of the keys that the secrets in the backup are encrypted under. */
export function assertKeys(masterKeys: readonly string[], config: MasterKeySettings): void {
  const atHand = keysAtHand(config).map((key) => createSecrets(key).checkValue)
  if (masterKeys.every((key) => atHand.includes(key))) return
  const found = atHand.length === 0 ? 'missing here' : 'different from the one here'
  throw new BackupError('other-key', `The master key that the secrets in the backup are encrypted under is ${found}.`)
}
