import { stat } from 'node:fs/promises'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import { isRoot } from './privileges.ts'

/** Converts an error that concerns the data folder to an EmbeddedError whose message advises the operator. */
export async function explainFailure(error: unknown, dataFolder: string): Promise<EmbeddedError> {
  if (error instanceof EmbeddedError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const code = systemCode(error)
  if (code === 'EACCES' || code === 'EPERM') {
    if (isRoot()) return rootLacksCapabilities(reason, { cause: error })
    const owner = await stat(dataFolder).then(
      ({ uid }) => `, which belongs to user ${uid}`,
      () => '',
    )
    return wrongOwner(`${dataFolder}${owner}`, reason, { cause: error })
  }
  return new EmbeddedError(
    'start-failed',
    `The embedded database cannot be used in ${dataFolder}: ${reason}. ${adviceOn(reason)}${useDatabaseUrl}`,
    { cause: error },
  )
}

/** Explains a failure in a container, where root may lack the capabilities to use another user's folder. */
const rootLacksCapabilities = (reason: string, options: ErrorOptions): EmbeddedError =>
  new EmbeddedError(
    'no-privilege-drop',
    `PostgreSQL does not run as root, and this root user cannot act as another user: ${reason}. Run Muster as an ordinary ` +
      'user who owns MUSTER_DATA, or give the container the default capabilities (CHOWN, DAC_OVERRIDE, SETGID, SETUID, ' +
      `SETPCAP). ${useDatabaseUrl}`,
    options,
  )

export const wrongOwner = (folder: string, reason: string, options?: ErrorOptions): EmbeddedError =>
  new EmbeddedError(
    'wrong-owner',
    `User ${process.getuid?.()} cannot use ${folder}: ${reason}. Run Muster as the owner of its data folder or, ` +
      `as root, change the owner of the data folder with chown -R. ${useDatabaseUrl}`,
    options,
  )

/** Returns advice for the most frequent problems, with a trailing space. Returns an empty string for other problems. */
export function adviceOn(reason: string): string {
  // PostgreSQL also reports "No space left on device" for shared memory and semaphores.
  if (/shared memory segment|create semaphores|Cannot allocate memory/.test(reason))
    return 'The machine does not have enough memory, shared memory, or semaphores: free some, then start again. '
  if (/ENOSPC|EDQUOT|No space left on device|Check free disk space|Disk quota exceeded/.test(reason))
    return 'Free disk space and start again. '
  if (/EROFS|Read-only file system/.test(reason))
    return 'The file system is read-only: set MUSTER_DATA to a folder on a writable file system. '
  if (/Permission denied|wrong ownership/.test(reason))
    return 'All files of the database must belong to the user who runs PostgreSQL. '
  if (/could not look up effective user ID/.test(reason)) return 'Give this user a name in /etc/passwd. '
  return ''
}
