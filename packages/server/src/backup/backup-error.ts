/** What is wrong: the file, where it should go, or what it needs. */
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

/** Why there is no backup, or why one is not restored, in words for whoever runs it. */
export class BackupError extends Error {
  readonly reason: BackupReason

  constructor(reason: BackupReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BackupError'
    this.reason = reason
  }
}
