import { ApiError } from '../errors.ts'

/** An error whose HTTP status can differ from the usual status of its code. */
export class HttpError extends ApiError {
  readonly httpStatus: number
  readonly headers: Readonly<Record<string, string>>

  constructor(httpStatus: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(httpStatus === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT', message)
    this.httpStatus = httpStatus
    this.headers = headers
  }

  override get status(): number {
    return this.httpStatus
  }
}
