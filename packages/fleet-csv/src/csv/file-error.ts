/** An error that affects the whole file. */
export class FileError extends Error {
  /** How to fix it. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'FileError'
    this.hint = hint
  }
}
