/**
 * Explains to the operator why the server does not start and what to do. The server prints it without a stack trace.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}
