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
