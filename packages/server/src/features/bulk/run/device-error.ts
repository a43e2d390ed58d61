import type { ApiError } from '../../../errors.ts'

/** An error that one device of a batch causes. */
export class DeviceError extends Error {
  readonly deviceId: string
  override readonly cause: ApiError

  constructor(deviceId: string, cause: ApiError) {
    super(cause.message)
    this.deviceId = deviceId
    this.cause = cause
  }
}
