import { randomInt } from 'node:crypto'
import { badInput } from '../../../errors.ts'

/** The letters include no vowels, so that codes do not form words (RFC 8628 §6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/** Returns eight random letters, which contain more than 34 bits of entropy. */
export const newUserCode = (): string => Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')

export function readUserCode(typed: string): string {
  const code = typed.replace(/[\s-]/g, '').toUpperCase()
  if (code.length === 8 && [...code].every((letter) => letters.includes(letter))) return code
  throw badInput('code must be the eight letters that the command line shows, such as BCDF-GHJK')
}
