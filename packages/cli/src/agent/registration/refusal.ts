import { CliError, exitCodes } from '../../cli-error.ts'

interface Refusal {
  code: string
  reason: unknown
  message: string
}

const another = 'The owner makes one with "muster codes create", or the mutation createRegistrationCode.'

/** Why a code was not taken, by the API's reason. */
const ofCode: Readonly<Record<string, string>> = {
  'unknown-code': 'the registration code is not known: mistyped, or deleted',
  'expired-code': 'the registration code has expired',
  'used-up-code': 'the registration code is used up: it has registered as many devices as it may',
}

/** A refusal told to whoever stands before the machine. None of these goes away by itself. */
export function refusalOf({ code, reason, message }: Refusal, hardwareId: string): CliError {
  const ofThisCode = ofCode[String(reason)]
  if (ofThisCode !== undefined) return new CliError(ofThisCode, { hint: another, exitCode: exitCodes.usage })
  if (code === 'CONFLICT') {
    return new CliError(
      `the server has a device with this machine's hardware id (${hardwareId}), and this agent does not have its secret`,
      {
        hint: `Its owner lets it register again with the mutation rotateDeviceSecret(deviceId: "…", allow: true), good for an hour and
once, or deletes the device. A machine that was cloned needs an id of its own: --hardware-id.`.replace('\n', ' '),
        exitCode: exitCodes.usage,
      },
    )
  }
  return new CliError(`the server refuses the registration: ${message}`, { exitCode: exitCodes.usage })
}
