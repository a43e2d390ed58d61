export class FileError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'FileError'
    this.hint = hint
  }
}
