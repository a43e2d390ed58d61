/** A file that cannot be used at all, told in one sentence. */
export class FileError extends Error {
  /** What to do about it. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'FileError'
    this.hint = hint
  }
}
