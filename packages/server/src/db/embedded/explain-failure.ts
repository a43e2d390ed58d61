import { stat } from 'node:fs/promises'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import { isRoot } from './privileges.ts'

/** Turns whatever went wrong around the data folder into words for the operator. */
export async function explainFailure(error: unknown, dataFolder: string): Promise<EmbeddedError> {
  if (error instanceof EmbeddedError) return error
  const said = error instanceof Error ? error.message : String(error)
  const code = systemCode(error)
  if (code === 'EACCES' || code === 'EPERM') {
    if (isRoot()) return weakRoot(said, { cause: error })
    const owner = await stat(dataFolder).then(
      ({ uid }) => `, which belongs to user ${uid}`,
      () => '',
    )
    return wrongOwner(`${dataFolder}${owner}`, said, { cause: error })
  }
  return new EmbeddedError(
    'start-failed',
    `The embedded database could not start in ${dataFolder}: ${said}. ${adviceOn(said)}${useDatabaseUrl}`,
    { cause: error },
  )
}

/** A container may leave root so few capabilities that it cannot work in another user's folder. */
const weakRoot = (said: string, options: ErrorOptions): EmbeddedError =>
  new EmbeddedError(
    'no-privilege-drop',
    `PostgreSQL does not run as root, and this root may not work for another user: ${said}. Run Muster as an ordinary ` +
      'user who owns MUSTER_DATA, or leave the container its default capabilities (CHOWN, DAC_OVERRIDE, SETGID, SETUID, ' +
      `SETPCAP). ${useDatabaseUrl}`,
    options,
  )

export const wrongOwner = (folder: string, said: string, options?: ErrorOptions): EmbeddedError =>
  new EmbeddedError(
    'wrong-owner',
    `User ${process.getuid?.()} cannot work in ${folder}: ${said}. Run Muster as the owner of its data folder, or give ` +
      `the folder away with chown -R as root. ${useDatabaseUrl}`,
    options,
  )

/** A hint at the way out, with a space behind it, for the troubles that operators meet most. */
export function adviceOn(said: string): string {
  if (/ENOSPC|EDQUOT|No space left on device|Check free disk space|Disk quota exceeded/.test(said))
    return 'Make room on the disk and start again. '
  if (/EROFS|Read-only file system/.test(said)) return 'The file system is read-only: choose another MUSTER_DATA. '
  if (/Permission denied|wrong ownership/.test(said)) return 'All files must belong to the user who runs Muster. '
  if (/could not look up effective user ID/.test(said)) return 'Give this user a name in /etc/passwd. '
  if (/shared memory segment|Cannot allocate memory/.test(said)) return 'The machine lacks memory. '
  return ''
}
