/** An error that affects the whole file. */
export class FileError extends Error {
  /** Explains how to fix the file. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'FileError'
    this.hint = hint
  }
}
