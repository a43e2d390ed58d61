import { quote, unquoted } from './quote.ts'
import type { Expression, Member, Value } from './tree.ts'

/** Formats a tree as a filter. Parsing the filter returns the same tree, except for the positions. */
export function printFilter(tree: Expression | null): string {
  if (tree === null) return ''
  switch (tree.type) {
    case 'and':
      return tree.operands.map(printOperand).join(' AND ')
    case 'or':
      return tree.operands.map(printOperand).join(' OR ')
    case 'not':
      return `NOT ${tree.operand.type === 'not' ? `(${printFilter(tree.operand)})` : printOperand(tree.operand)}`
    case 'word':
      return printValue(tree.value)
    case 'call':
      return `${tree.name}(${tree.arguments.map(printValue).join(', ')})`
    case 'comparison': {
      const subject = tree.subject.type === 'call' ? printFilter(tree.subject) : printMember(tree.subject)
      // Add a space, because the lexer would read 80:ab as an ID.
      const colon = subject.startsWith('80') ? ' :' : ':'
      const comparator = tree.comparator === ':' ? colon : ` ${tree.comparator} `
      return subject + comparator + printArgument(tree.argument)
    }
  }
}

const printOperand = (tree: Expression): string =>
  tree.type === 'and' || tree.type === 'or' ? `(${printFilter(tree)})` : printFilter(tree)

function printArgument(argument: Extract<Expression, { type: 'comparison' }>['argument']): string {
  if (argument.type === 'value') return printValue(argument)
  if (argument.type === 'nested') return `(${printFilter(argument.expression)})`
  return `(${argument.values.map(printValue).join(argument.join === 'or' ? ' OR ' : ' AND ')})`
}

export function printMember({ levels }: Member): string {
  const [first, ...others] = levels.map(printValue)
  // Add a space, because the lexer does not read an ID directly before a dot as one word.
  const isId = !levels[0]!.isQuoted && first!.includes(':')
  return [isId && others.length > 0 ? `${first} ` : first, ...others].join('.')
}

/** Formats a value as it was written: strings with quotes, and words without quotes. */
export const printValue = ({ parts, isQuoted }: Value): string => (isQuoted ? quote(parts) : unquoted(parts))
