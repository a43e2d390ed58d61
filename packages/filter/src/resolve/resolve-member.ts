import type { Comparison, Expression, Member, Nested, Value } from '../syntax/tree.ts'
import { toText } from './field-literal.ts'
import { addServicesTerm, addTerm } from './filter-terms.ts'
import { forbiddenField } from './forbidden-terms.ts'
import { plainName } from './resolve-call.ts'
import { isOnlyWildcards, type PlainComparison, resolveComparison, warnAboutOrder } from './resolve-comparison.ts'
import {
  attributeOwner,
  type NamedSubject,
  NESTED_SERVICES,
  resolveAttributeName,
  resolveName,
} from './resolve-name.ts'
import type { AttributeSubject, Condition, FieldSubject, ResolvedFilter, SomeService } from './resolved.ts'
import { type Resolving, reject, rejectWith, replace, type Scope, written } from './resolving.ts'

type Resolve = (resolving: Resolving, scope: Scope, tree: Expression) => ResolvedFilter | undefined

export function resolveMember(
  resolving: Resolving,
  scope: Scope,
  tree: Comparison,
  resolve: Resolve,
): ResolvedFilter | undefined {
  const member = tree.subject as Member
  const levels = member.levels.map((level) => plainName(resolving, level))
  if (levels.includes(undefined)) return undefined
  const found = { name: levels.join('.'), span: member, isArgument: false, lead: '' }
  const subject = resolveName(resolving, scope, found)
  if (subject === undefined) return undefined
  switch (subject.type) {
    case 'services':
      return resolveServices(resolving, scope, tree, resolve)
    case 'attributes':
      return resolveAttributeExists(resolving, scope, { tree, subject })
    case 'inServices':
      return resolveValues(resolving, scope, { tree, subject: subject.subject, lead: servicesLead(scope) })
    default:
      return resolveValues(resolving, scope, { tree, subject, lead: '' })
  }
}

const servicesLead = ({ kind }: Scope): string => (kind === 'device' ? 'services.' : 'device.services.')

interface NamedComparison {
  tree: Comparison
  subject: FieldSubject | AttributeSubject
  /** The prefix, such as `services.`, if at least one service must meet the condition. Otherwise, the empty string. */
  lead: string
}

function resolveValues(
  resolving: Resolving,
  scope: Scope,
  { tree, subject, lead }: NamedComparison,
): ResolvedFilter | undefined {
  const forbidden =
    subject.type === 'field' && subject.of !== 'event' && forbiddenField(resolving.options.usage, subject.name)
  if (forbidden) return rejectWith(resolving, tree.subject, forbidden)
  if (tree.argument.type === 'nested') return rejectNested(resolving, tree.argument)
  const found = { subject, comparison: tree, argument: tree.argument }
  const compared = resolveComparison(resolving, found)
  if (compared === undefined) return undefined
  if (!scope.isNegated) warnAboutOrder(resolving, found)
  const isNegated = tree.comparator === '!='
  const condition: PlainComparison | SomeService = lead === '' ? compared : { type: 'services', condition: compared }
  addTerm(resolving, { ...scope, isNegated: scope.isNegated || isNegated }, tree, condition, lead)
  return isNegated ? { type: 'not', operand: condition } : condition
}

export const rejectNested = (resolving: Resolving, { from, to }: Nested): undefined =>
  reject(resolving, {
    from,
    to,
    message:
      "Only a device's services:(…) can contain conditions. In a filter for services or events, write device.services:(…).",
    edits: null,
  })

/** Resolves `services:ssh`, `services:*`, and `services:(…)`. */
function resolveServices(
  resolving: Resolving,
  scope: Scope,
  tree: Comparison,
  resolve: Resolve,
): ResolvedFilter | undefined {
  const { argument, comparator } = tree
  const name = written(resolving, tree.subject)
  if (comparator !== ':' || argument.type === 'list') {
    const right =
      argument.type === 'value' ? `${name}.name ${comparator} ${written(resolving, argument)}` : `${name}.name = web`
    const examples = `${name}:web or ${name}:(port = 22)`
    const hint = `To compare the name of a service, write ${right}`
    const message = `The only comparator for ${name} is :, as in ${examples}. ${hint}`
    return rejectWith(resolving, tree, message, argument.type === 'value' ? replace(tree, right) : null)
  }
  if (scope.isInServices) return rejectWith(resolving, tree, NESTED_SERVICES)
  const index = resolving.terms.length
  const condition = resolveServicesCondition(resolving, scope, argument, resolve)
  if (condition === undefined) return undefined
  const some = { type: 'services', condition } as const
  addServicesTerm(resolving, scope, { span: tree, condition: some, index, name: servicesLead(scope).slice(0, -1) })
  return some
}

function resolveServicesCondition(
  resolving: Resolving,
  scope: Scope,
  argument: Value | Nested,
  resolve: Resolve,
): ResolvedFilter | null | undefined {
  if (argument.type === 'nested')
    return resolve(resolving, { ...scope, kind: 'service', isInServices: true }, argument.expression)
  if (isOnlyWildcards(argument)) return null
  const subject = { type: 'field', of: 'service', name: 'name', valueType: 'string' } as const
  return { type: 'compare', subject, operator: ':', literal: toText(argument) }
}

/** Resolves `attributes:site`, which is the same as `attributes.site:*`. */
function resolveAttributeExists(
  resolving: Resolving,
  scope: Scope,
  { tree, subject }: { tree: Comparison; subject: Extract<NamedSubject, { type: 'attributes' | 'services' }> },
): Condition | undefined {
  const { argument, comparator } = tree
  const [written, ...rest] = argument.type === 'value' ? argument.parts : []
  if (comparator !== ':' || written === undefined || rest.length > 0) {
    const message =
      'After attributes, write : and a name without wildcards, as in attributes:site. To compare a value, write attributes.site = oslo'
    return rejectWith(resolving, tree, message)
  }
  const kind = subject.of === attributeOwner(scope.kind) ? scope.kind : 'device'
  const found = { name: `attributes.${written}`, span: argument, isArgument: false, lead: '' }
  const name = resolveAttributeName(resolving, { ...scope, kind }, found)
  if (name === undefined) return undefined
  const condition: Condition = {
    type: 'present',
    subject: { type: 'attribute', of: subject.of, name, read: { type: 'effective' } },
  }
  addTerm(resolving, scope, tree, condition)
  return condition
}
