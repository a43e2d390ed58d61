export type BackupReason =
  | 'busy'
  | 'damaged'
  | 'newer'
  | 'not-empty'
  | 'not-pruned'
  | 'other-schema'
  | 'other-key'
  | 'no-muster'
  | 'not-archiving'
  | 'occupied'
  | 'older'
  | 'out-of-range'
  | 'taken'
  | 'unsupported'
  | 'upgrading'

export class BackupError extends Error {
  readonly reason: BackupReason

  constructor(reason: BackupReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BackupError'
    this.reason = reason
  }
}

/** `release` is undefined if the backup does not name a release. */
export function writtenByOtherRelease(
  reason: 'newer' | 'older',
  { what, release }: { what: string; release: string | undefined },
): BackupError {
  const name = release === undefined ? '' : `, ${release}`
  const writer = reason === 'newer' ? 'a newer release' : 'an older release'
  return new BackupError(reason, `${what} was written by ${writer} of Muster${name}: use that release.`)
}
