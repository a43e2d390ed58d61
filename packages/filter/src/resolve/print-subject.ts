import { joinAttributeName } from '../names/attribute-name.ts'
import type { FilterKind } from '../names/fields.ts'
import { quote, writeLevel, writeNameArgument } from '../syntax/quote.ts'
import type { AttributeSubject, Subject } from './resolved.ts'

/** Formats a subject. `kind` is the kind of object to which a name without a prefix refers. */
export function printSubject(subject: Subject, kind: FilterKind): string {
  switch (subject.type) {
    case 'field':
      return prefix(subject.of, kind) + subject.name
    case 'age':
    case 'changed':
      return `${subject.type}(${printNameArgument(subject.name)})`
    case 'attribute':
      return printAttribute(subject, kind)
  }
}

export const printNameArgument = (name: AttributeSubject['name']): string =>
  writeNameArgument(`attributes.${joinAttributeName(name)}`)

function printAttribute({ of, name, read }: AttributeSubject, kind: FilterKind): string {
  if (read.type === 'effective')
    return `${prefix(of, kind)}attributes.${name.map((level) => writeLevel(level!)).join('.')}`
  if (read.type === 'base') return `base(${printNameArgument(name)})`
  return `${read.type}(${quote([read.context])}, ${printNameArgument(name)})`
}

const prefix = (of: FilterKind, kind: FilterKind): string => (of === kind ? '' : `${of}.`)
