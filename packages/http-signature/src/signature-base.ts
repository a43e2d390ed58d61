import { coveredField, type Message } from './message.ts'
import type { ParsedSignature } from './parse/parsed-signature.ts'
import type { Spelling } from './verify/spellings.ts'

/** The input of `signatureBase`, such as a parsed signature. */
export type BaseInput = Pick<ParsedSignature, 'form' | 'components' | 'created' | 'expires' | 'parameters' | 'message'>

/** Returns the exact string to sign (RFC 9421 §2.5 or cavage-12 §2.3). */
export function signatureBase(input: BaseInput, spelling: Spelling): string {
  const lines = input.components.map((name) =>
    input.form === 'cavage'
      ? `${name}: ${cavageValue(name, input, spelling)}`
      : `"${name}": ${rfc9421Value(name, input.message, spelling)}`,
  )
  if (input.form === 'rfc9421') lines.push(`"@signature-params": ${input.parameters}`)
  return lines.join('\n')
}

function cavageValue(name: string, { message, created, expires }: BaseInput, spelling: Spelling): string {
  switch (name) {
    case '(request-target)':
      return `${message.method.toLowerCase()} ${message.target}`
    case '(created)':
      return String(created)
    case '(expires)':
      return String(expires)
    default:
      return fieldValue(name, message, spelling)
  }
}

/**
 * Returns the value of a component (RFC 9421 §2.2). The target is in origin form, so its path is never empty. Does not
 * decode or normalize the target.
 */
function rfc9421Value(name: string, message: Message, spelling: Spelling): string {
  const question = message.target.indexOf('?')
  switch (name) {
    case '@method':
      return message.method
    case '@authority':
      return spelling.authority
    case '@scheme':
      return spelling.scheme
    case '@target-uri':
      return spelling.origin + message.target
    case '@request-target':
      return message.target
    case '@path':
      return question < 0 ? message.target : message.target.slice(0, question)
    case '@query':
      // Write a missing query as a question mark (RFC 9421 §2.2.7).
      return question < 0 ? '?' : message.target.slice(question)
    default:
      return fieldValue(name, message, spelling)
  }
}

const fieldValue = (name: string, message: Message, spelling: Spelling): string =>
  name === 'host' ? spelling.host : coveredField(message.fields, name)
