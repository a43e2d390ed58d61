/** Why the server does not start, in words for whoever runs it: what is wrong and what to do. Printed without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}
