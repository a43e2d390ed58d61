import { quote, unquoted } from './quote.ts'
import type { Expression, Member, Value } from './tree.ts'

/** Writes a syntax tree as a filter. Parsing the result returns the same tree. */
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
      const comparator = tree.comparator === ':' ? ':' : ` ${tree.comparator} `
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

const printMember = (member: Member): string => member.levels.map(printValue).join('.')

/** Writes a value as it was written: a string in quotes, a word without. */
export const printValue = ({ parts, isQuoted }: Value): string => (isQuoted ? quote(parts) : unquoted(parts))
