import { type CliError, usageError } from '../../errors/cli-error.ts'

interface Rejection {
  code: string
  reason: unknown
  message: string
}

const another =
  'Members with the permission DEVICE_CREATE, such as operators, can create a code with "muster codes create" or the mutation createRegistrationCode.'

const messageByReason: Readonly<Record<string, string>> = {
  'unknown-code':
    'unknown registration code: the code is mistyped, was deleted, or expired more than 7 days ago, or every member of its account is disabled',
  'expired-code': 'the registration code has expired',
  'used-up-code': 'the registration code has reached its device limit',
}

export function toRejection({ code, reason, message }: Rejection, hardwareId: string): CliError {
  const codeMessage = messageByReason[String(reason)]
  if (codeMessage !== undefined) return usageError(codeMessage, another)
  if (code === 'CONFLICT') {
    return usageError(
      `a device with this hardware ID (${hardwareId}) already exists, and this agent did not send the device's current secret`,
      'Delete the device, or call the mutation rotateDeviceSecret(deviceId: "…", allow: true), which allows one new registration within an hour. On a cloned machine, set a different ID with --hardware-id.',
    )
  }
  return usageError(`the server rejected the registration: ${message}`)
}
