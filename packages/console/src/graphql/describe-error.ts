import { CombinedError } from '@urql/core'

interface ErrorDescription {
  what: string
  /** Describes how to resolve the error. Undefined if the console has no advice. */
  advice?: string
  requestId?: string
  /** Whether the change was made or may have been made, although the server reported an error. */
  mayBeDone?: boolean
}

/**
 * Labels of a form's fields. The keys are the names of arguments in the API's messages, such as `hardwareId`. For the
 * ports in a list of services, the key is `services.port`.
 */
export type FieldLabels = Readonly<Record<string, string>>

const unreachable: ErrorDescription = {
  what: 'The server is not responding.',
  advice: 'Check that the server is running and that this computer can reach it, then try again.',
}

const advice: Record<string, string> = {
  UNAUTHENTICATED: 'Sign in again.',
  RATE_LIMITED: 'Wait, then try again.',
  UNAVAILABLE: 'Try again later.',
  INTERNAL: 'Try again. If the error persists, ask the server’s operator to find the request ID in the log.',
  QUERY_TOO_COMPLEX: 'Select fewer columns or fields.',
}

const unknownOutcome = { advice: 'Reload the page to see whether the change was made.', mayBeDone: true }

/** Advice for `extensions.outcome` of a failed change. It replaces the advice for the error's code. */
const outcomeAdvice: Record<string, string> = {
  done: 'The change was made, so do not repeat it. Reload the page to see it.',
  unknown: unknownOutcome.advice,
}

const errorsOfChanges = new WeakSet<CombinedError>()

/** Records that a mutation failed with this error. Without a valid response, the change may have been made. */
export const noteFailedChange = (error: CombinedError): unknown => errorsOfChanges.add(error)

/**
 * Describes an error for the user. Keeps the server's messages, but replaces the name of an argument with its label,
 * capitalizes the first word, and adds a period.
 */
export function describeError(error: unknown, labels: FieldLabels = {}): ErrorDescription {
  if (error instanceof CombinedError) return describeResponse(error, labels)
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) return unreachable
  if (error instanceof Error) return { what: sentence(error.message) }
  return { what: String(error) }
}

export function errorText(error: unknown, labels?: FieldLabels): string {
  const { what, advice } = describeError(error, labels)
  return advice === undefined ? what : `${what} ${advice}`
}

export function errorReason(error: unknown): string | undefined {
  const reason = error instanceof CombinedError ? error.graphQLErrors[0]?.extensions.reason : undefined
  return typeof reason === 'string' ? reason : undefined
}

export const isSignedOut = (error: CombinedError): boolean =>
  error.graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED')

function describeResponse(error: CombinedError, labels: FieldLabels): ErrorDescription {
  const first = error.graphQLErrors[0]
  if (first === undefined) {
    // Browsers throw a TypeError if no response arrives. Other errors mean that the response is invalid.
    const found = error.networkError instanceof TypeError ? unreachable : notMuster
    return errorsOfChanges.has(error) ? { what: found.what, ...unknownOutcome } : found
  }
  const outcome = outcomeAdvice[String(first.extensions.outcome)]
  const found = outcome ?? advice[String(first.extensions.code)]
  const requestId = typeof first.extensions.requestId === 'string' ? first.extensions.requestId : undefined
  return {
    what: sentence(withLabel(first.message, labels)),
    ...(found === undefined ? {} : { advice: found }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(outcome === undefined ? {} : { mayBeDone: true }),
  }
}

const notMuster: ErrorDescription = {
  what: 'The response is not from the Muster API.',
  advice: 'The server may be restarting, or a proxy in front of it may be misconfigured. Try again in a few seconds.',
}

/** Replaces the argument at the start of a message: `services[0].port` becomes `Port of service 1`. */
const withLabel = (message: string, labels: FieldLabels): string =>
  message.replace(
    /^(?:access\.|operations\[\d+\]\.\w+\.)?(\w+)(?:\[(\d+)\](\.\w+)|(\.)|(?=[ :,]))/,
    (argument, name, index, member, dot) => {
      const label = labels[member === undefined ? name : name + member]
      if (label === undefined) return argument
      if (index !== undefined) return `${label} ${Number(index) + 1}`
      return dot === undefined ? label : `${label}: `
    },
  )

/**
 * Adds a period if the message has no punctuation at the end. Capitalizes the first word, unless it may be a name, such
 * as `hardwareId` or `attributes.site`.
 */
function sentence(message: string): string {
  const text = /^[a-z]+[ ,]/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message
  return /[.!?]$/.test(text) ? text : `${text}.`
}
