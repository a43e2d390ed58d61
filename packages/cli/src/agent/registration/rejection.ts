import { CliError, exitCodes } from '../../errors/cli-error.ts'

interface Rejection {
  code: string
  reason: unknown
  message: string
}

const another = 'The owner can create one with "muster codes create" or the mutation createRegistrationCode.'

/** Messages by the reason that the API gives for rejecting a code. */
const messageByReason: Readonly<Record<string, string>> = {
  'unknown-code': 'unknown registration code: it is mistyped or deleted',
  'expired-code': 'the registration code has expired',
  'used-up-code': 'the registration code has reached its limit of devices',
}

/** Explains a rejected registration to the operator. A retry does not help in any of these cases. */
export function toRejection({ code, reason, message }: Rejection, hardwareId: string): CliError {
  const codeMessage = messageByReason[String(reason)]
  if (codeMessage !== undefined) return new CliError(codeMessage, { hint: another, exitCode: exitCodes.usage })
  if (code === 'CONFLICT') {
    return new CliError(
      `the server has a device with this machine's hardware id (${hardwareId}), and this agent does not have its secret`,
      {
        hint: 'The owner can allow one new registration within an hour with the mutation rotateDeviceSecret(deviceId: "…", allow: true), or delete the device. A cloned machine needs a separate id: --hardware-id.',
        exitCode: exitCodes.usage,
      },
    )
  }
  return new CliError(`the server rejected the registration: ${message}`, { exitCode: exitCodes.usage })
}
