import type { BareItem, Item } from 'structured-headers'
import { readRfc9421Algorithm, readSignature } from '../algorithms.ts'
import { joinedField, type Message } from '../message.ts'
import { Rejection } from '../rejection-reasons.ts'
import {
  assertComponentList,
  isTime,
  maxNonce,
  type ParsedSignature,
  readKeyId,
  withKeyId,
} from './parsed-signature.ts'
import { assertRfc9421Coverage } from './required-coverage.ts'
import { type Member, type Members, parseCanonicalDictionary } from './structured-field.ts'

type Parameters = ReadonlyMap<string, BareItem>

/** The supported derived components of a request (RFC 9421 §2.2). Excludes `@query-param` and all parameters. */
const derivedComponents = ['@method', '@authority', '@scheme', '@target-uri', '@request-target', '@path', '@query']

/** Matches a lowercase field name (RFC 9421 §2.1). A name that begins with @ never refers to a header (§7.5.1). */
const fieldPattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/**
 * Parses form B. Allows only one signature per request, because a client could otherwise make the server verify many
 * signatures. The label has no meaning (RFC 9421 §7.2.5).
 */
export function readRfc9421(message: Message): ParsedSignature {
  const inputs = readDictionary(message, 'signature-input')
  const signatures = readDictionary(message, 'signature')
  const count = Math.max(inputs.size, signatures.size)
  if (count > 1) throw new Rejection('several-signatures', `The request has ${count} signatures. Send one.`)
  assertSameLabels(inputs, signatures)
  const [entry] = inputs
  if (entry === undefined)
    throw new Rejection(
      'malformed',
      'Signature-Input is empty. It must contain one member, such as sig1=("@method");created=1700000000.',
    )
  const [label, input] = entry
  return readOne(input, signatures.get(label)!, message)
}

const examples = {
  'signature-input': 'sig1=("@method");created=1700000000',
  signature: 'sig1=:base64:',
}

function readDictionary(message: Message, name: keyof typeof examples): Members {
  const text = joinedField(message.fields, name)
  const dictionary = parseCanonicalDictionary(text)
  if (dictionary !== undefined) return dictionary
  // `keyId` can come only from form A, because dictionary keys contain no uppercase letters.
  if (/(?:^|,)[ \t]*keyId[ \t]*=/.test(text)) throw new Rejection('both-forms')
  throw new Rejection(
    'malformed',
    `The header ${name} must be a canonical Dictionary, such as ${examples[name]} (RFC 9651).`,
  )
}

/** Requires the same labels in Signature-Input and Signature (RFC 9421 §3.2 step 1). */
function assertSameLabels(inputs: Members, signatures: Members): void {
  assertLabelsIn(signatures, inputs)
  assertLabelsIn(inputs, signatures)
}

function assertLabelsIn(members: Members, others: Members): void {
  for (const label of others.keys()) {
    if (!members.has(label))
      throw new Rejection('malformed', `The label ${label} must be in both Signature-Input and Signature.`)
  }
}

function readOne({ list, text }: Member, signature: Member, message: Message): ParsedSignature {
  if (list === undefined)
    throw new Rejection(
      'malformed',
      'The member of Signature-Input must be a list with parameters, such as sig1=("@method");created=1700000000.',
    )
  const [items, parameters] = list
  const keyId = readKeyId(readString(parameters, 'keyid'))
  return withKeyId(keyId, () => {
    const algorithmName = readString(parameters, 'alg')
    const algorithm = algorithmName === undefined ? undefined : readRfc9421Algorithm(algorithmName)
    const components = items.map(readComponent)
    assertComponentList(components, message.fields)
    const created = readTime(parameters, 'created')
    assertRfc9421Coverage(components, message.target)
    if (created === undefined)
      throw new Rejection('not-covered', 'Signature-Input must contain the parameter "created".')
    return {
      form: 'rfc9421' as const,
      keyId,
      algorithm,
      components,
      created,
      expires: readTime(parameters, 'expires'),
      nonce: readNonce(parameters),
      signature: readSignature(readBytes(signature), algorithm),
      parameters: text,
      message,
    }
  })
}

function readComponent([name, parameters]: Item): string {
  if (typeof name !== 'string')
    throw new Rejection('malformed', 'Each covered component must be a quoted string, such as "@method".')
  if (parameters.size > 0) {
    const [parameter] = parameters.keys()
    throw new Rejection(
      'unsupported-component',
      `Components cannot have parameters, but "${name}" has the parameter ${parameter}.`,
    )
  }
  const isKnown = name.startsWith('@') ? derivedComponents.includes(name) : fieldPattern.test(name)
  if (!isKnown)
    throw new Rejection(
      'unsupported-component',
      `With Signature-Input, a signature can cover lowercase header names and ${derivedComponents.join(', ')}, but not "${name}".`,
    )
  return name
}

function readString(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name)
  if (value !== undefined && typeof value !== 'string')
    throw new Rejection(
      'malformed',
      `The parameter "${name}" in Signature-Input must be a quoted string, such as ${name}="value".`,
    )
  return value
}

/**
 * Requires an integer for `created` and `expires` (RFC 9421 §2.3), because a string or a token could bypass the
 * comparison of times.
 */
function readTime(parameters: Parameters, name: string): number | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !isTime(value))
    throw new Rejection(
      'malformed',
      `The parameter "${name}" in Signature-Input must be a ten-digit integer: the number of seconds since 1970, such as 1700000000.`,
    )
  return value
}

function readNonce(parameters: Parameters): string | undefined {
  const nonce = readString(parameters, 'nonce')
  if (nonce !== undefined && nonce.length > maxNonce)
    throw new Rejection('too-large', `The nonce has ${nonce.length} characters. At most ${maxNonce} are allowed.`)
  return nonce
}

function readBytes({ bytes, text }: Member): string {
  if (bytes === undefined)
    throw new Rejection('malformed', 'The member of Signature must be a byte sequence in the form :base64: (RFC 9651).')
  // Reject parameters of a signature, which are not signed and have no defined meaning (RFC 9421 §4.2).
  if (text !== `:${bytes}:`)
    throw new Rejection('malformed', 'The member of Signature must not have parameters. Example: sig1=:base64:')
  return bytes
}
