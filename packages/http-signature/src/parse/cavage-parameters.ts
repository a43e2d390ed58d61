import { tokenCharacters } from '../message.ts'
import { Rejection } from '../rejection-reasons.ts'

/** Matches one parameter (RFC 9110 §11.2). Rejects quoted pairs, because implementations interpret them differently. */
const parameter = new RegExp(
  `[ \\t]*([${tokenCharacters}]+)[ \\t]*=[ \\t]*(?:"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*)"|([${tokenCharacters}]+))[ \\t]*(,|$)`,
  'y',
)

const maxParameters = 32

/** Parses the parameters of form A. Rejects duplicates (cavage-12 §2.2). */
export function parseCavageParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  parameter.lastIndex = 0
  for (;;) {
    const match = parameter.exec(text)
    if (match === null) throw new Rejection('malformed', 'The parameters must have the form name="value",name="value".')
    const name = match[1]!.toLowerCase()
    if (parameters.has(name))
      throw new Rejection('duplicate-parameter', `The signature contains the parameter "${match[1]}" twice.`)
    parameters.set(name, match[2] ?? match[3]!)
    if (parameters.size > maxParameters)
      throw new Rejection('too-large', `The signature has more than ${maxParameters} parameters.`)
    if (match[4] === '') return parameters
  }
}
