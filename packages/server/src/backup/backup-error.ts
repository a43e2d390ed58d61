export type BackupReason =
  | 'busy'
  | 'damaged'
  | 'newer'
  | 'not-empty'
  | 'other-schema'
  | 'other-key'
  | 'no-muster'
  | 'not-archiving'
  | 'occupied'
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
export function writtenByNewerRelease(what: string, release: string | undefined): BackupError {
  const name = release === undefined ? '' : `, ${release}`
  return new BackupError('newer', `${what} was written by a newer release of Muster${name}: use that release.`)
}
