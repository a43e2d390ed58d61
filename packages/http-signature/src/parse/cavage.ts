import { readCavageAlgorithm, readSignature } from '../algorithms.ts'
import { parseHttpDate } from '../http-date.ts'
import { coveredField, type Message, tokenCharacters } from '../message.ts'
import { Rejection } from '../rejection-reasons.ts'
import { parseCavageParameters } from './cavage-parameters.ts'
import { assertComponentList, isTime, type ParsedSignature, readKeyId, withKeyId } from './parsed-signature.ts'
import { assertCavageCoverage, notCovered } from './required-coverage.ts'

type Parameters = ReadonlyMap<string, string>

const componentPattern = new RegExp(`^(?:\\((?:request-target|created|expires)\\)|[${tokenCharacters}]+)$`)

/** Parses form A from its parameters, which a client can send in the Authorization or the Signature header. */
export function readCavage(credentials: string, message: Message): ParsedSignature {
  const parameters = parseCavageParameters(credentials)
  const keyId = readKeyId(parameters.get('keyid'))
  return withKeyId(keyId, () => read(parameters, keyId, message))
}

function read(parameters: Parameters, keyId: string, message: Message): ParsedSignature {
  const algorithmName = parameters.get('algorithm')
  const algorithm = algorithmName === undefined ? undefined : readCavageAlgorithm(algorithmName)
  const signature = readSignature(required(parameters, 'signature'), algorithm)
  const components = readComponents(parameters.get('headers'), message)
  assertTimesAllowed(components, algorithmName)
  assertCavageCoverage(components)
  return {
    form: 'cavage',
    keyId,
    algorithm,
    components,
    created: readCreated(components, parameters, message),
    expires: components.includes('(expires)') ? readTime(parameters, 'expires') : undefined,
    nonce: undefined,
    signature,
    parameters: undefined,
    message,
  }
}

/** Parses a nonempty list of names, separated by single spaces (cavage-12 §2.1.6). */
function readComponents(headers: string | undefined, message: Message): string[] {
  // A missing list means "(created)" in the draft and "date" in npm http-signature. Both cover too little, so the list
  // is required.
  if (headers === undefined)
    throw notCovered('(request-target), host, and date or (created), and list them in the parameter "headers"')
  const components = headers.toLowerCase().split(' ')
  for (const name of components) {
    if (name === '')
      throw new Rejection('malformed', 'The parameter "headers" must consist of names separated by single spaces.')
    if (!componentPattern.test(name))
      throw new Rejection(
        'unsupported-component',
        `A signature in form A can cover headers, (request-target), (created), and (expires), but not ${name}.`,
      )
  }
  assertComponentList(components, message.fields)
  return components
}

/**
 * Rejects a signature that covers `(created)` or `(expires)` if its algorithm name begins with `rsa`, `hmac`, or
 * `ecdsa` (cavage-12 §2.3).
 */
function assertTimesAllowed(components: readonly string[], algorithmName: string | undefined): void {
  if (algorithmName === undefined || !/^(?:rsa|hmac|ecdsa)/i.test(algorithmName)) return
  const name = components.find((component) => component === '(created)' || component === '(expires)')
  if (name !== undefined) {
    const alternative = name === '(created)' ? 'cover date instead' : 'do not cover (expires)'
    throw new Rejection(
      'unsupported-component',
      `${name} cannot be covered with algorithm="${algorithmName}". Use hs2019, or ${alternative}.`,
    )
  }
}

/** Reads the time only from a covered component, and never from `x-date`. */
function readCreated(components: readonly string[], parameters: Parameters, message: Message): number {
  if (components.includes('(created)')) return readTime(parameters, 'created')
  const date = parseHttpDate(coveredField(message.fields, 'date'))
  if (date === undefined) throw new Rejection('malformed-date')
  return date
}

function readTime(parameters: Parameters, name: string): number {
  const text = required(parameters, name)
  const seconds = /^[0-9]{10}$/.test(text) ? Number(text) : Number.NaN
  if (!isTime(seconds))
    throw new Rejection(
      'malformed',
      `The parameter "${name}" must be a ten-digit number of seconds since 1970, such as 1700000000.`,
    )
  return seconds
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined)
    throw new Rejection('missing-parameter', `The signature must contain the parameter "${name}".`)
  return value
}
