import { type AttributeName, wrongContext } from '../names/attribute-name.ts'
import { closestName } from '../names/closest-name.ts'
import { type FunctionName, functionNames, isFunctionName } from '../names/fields.ts'
import { abbreviate } from '../problems.ts'
import type { Call, Value } from '../syntax/tree.ts'
import { toText } from './field-literal.ts'
import { forbiddenClock, forbiddenView } from './forbidden-terms.ts'
import { isOnlyWildcards } from './resolve-comparison.ts'
import { attributeOwner, resolveAttributeName } from './resolve-name.ts'
import type { AnyAttribute, InView, IsStale, Subject } from './resolved.ts'
import { type Resolving, rejectWith, replace, type Scope, written } from './resolving.ts'

const forms: Readonly<Record<FunctionName, { arguments: number; example: string }>> = {
  base: { arguments: 1, example: 'base(site) = oslo' },
  in: { arguments: 2, example: 'in("night", site) = oslo' },
  override: { arguments: 2, example: 'override("night", site) = oslo' },
  age: { arguments: 1, example: 'age(site) > 2d' },
  changed: { arguments: 1, example: 'changed(site) > -2d' },
  stale: { arguments: 1, example: 'stale(site)' },
  view: { arguments: 1, example: 'view("id")' },
  any: { arguments: 1, example: 'any("oslo")' },
}

const conditions: ReadonlySet<FunctionName> = new Set(['stale', 'view', 'any'])

/** Resolves a function that has a comparator. The caller resolves the comparator. */
export function resolveCallSubject(resolving: Resolving, scope: Scope, call: Call): Subject | undefined {
  const name = checkForm(resolving, call)
  if (name === undefined) return undefined
  if (conditions.has(name)) {
    const message = `${name}() takes no comparator. Write ${forms[name].example}`
    return rejectWith(resolving, call, message)
  }
  return name === 'age' || name === 'changed'
    ? resolveTimeOf(resolving, scope, { call, name })
    : resolveRead(resolving, scope, { call, name })
}

function resolveTimeOf(
  resolving: Resolving,
  scope: Scope,
  { call, name: type }: { call: Call; name: 'age' | 'changed' },
): Subject | undefined {
  const name = resolveNameArgument(resolving, scope, call.arguments[0]!)
  const forbidden = type === 'age' ? forbiddenClock(resolving.options.usage, 'age()') : undefined
  if (forbidden !== undefined) return rejectWith(resolving, call, forbidden)
  return name === undefined ? undefined : { type, of: attributeOwner(scope.kind), name }
}

function resolveRead(
  resolving: Resolving,
  scope: Scope,
  { call, name: read }: { call: Call; name: Exclude<FunctionName, 'age' | 'changed'> },
): Subject | undefined {
  const isBase = read === 'base'
  const context = isBase ? '' : resolveContext(resolving, call.arguments[0]!)
  const name = resolveNameArgument(resolving, scope, call.arguments.at(-1)!)
  if (context === undefined || name === undefined) return undefined
  const attribute = { type: 'attribute', of: attributeOwner(scope.kind), name } as const
  if (isBase) return { ...attribute, read: { type: 'base' } }
  return { ...attribute, read: { type: read === 'in' ? 'in' : 'override', context } }
}

export function resolveCondition(
  resolving: Resolving,
  scope: Scope,
  call: Call,
): AnyAttribute | IsStale | InView | undefined {
  const name = checkForm(resolving, call)
  if (name === undefined) return undefined
  const argument = call.arguments[0]!
  const { usage } = resolving.options
  const of = attributeOwner(scope.kind)
  switch (name) {
    case 'stale': {
      const attribute = resolveNameArgument(resolving, scope, argument)
      const forbidden = forbiddenClock(usage, 'stale()')
      if (forbidden !== undefined) return rejectWith(resolving, call, forbidden)
      return attribute === undefined ? undefined : { type: 'stale', of, name: attribute }
    }
    case 'any':
      if (isOnlyWildcards(argument) || argument.parts.join('') === '')
        return rejectWith(
          resolving,
          argument,
          'any() needs at least one character other than the wildcard *, as in any(os*).',
        )
      return { type: 'any', of, literal: toText(argument) }
    case 'view':
      return resolveView(resolving, scope, call)
    default:
      return rejectWith(resolving, call, `${name}() needs a comparator, as in ${forms[name].example}`)
  }
}

function resolveView(resolving: Resolving, scope: Scope, call: Call): InView | undefined {
  const argument = call.arguments[0]!
  const forbidden = forbiddenView(resolving.options.usage)
  if (forbidden !== undefined) return rejectWith(resolving, call, forbidden)
  if (scope.isInServices) return rejectWith(resolving, call, 'view() selects devices. Write it outside services:(…).')
  if (argument.parts.length > 1 || argument.parts[0] === '') {
    const message = 'view() takes the ID of a view, as in view("id"). The ID cannot be empty or contain wildcards.'
    return rejectWith(resolving, argument, message)
  }
  const id = argument.parts[0]!
  const wrong = resolving.options.wrongView?.(id)
  return wrong === undefined ? { type: 'view', id } : rejectWith(resolving, argument, wrong)
}

function checkForm(resolving: Resolving, call: Call): FunctionName | undefined {
  const nameSpan = { from: call.from, to: call.from + call.name.length }
  if (!isFunctionName(call.name)) {
    const closest = closestName(call.name, functionNames)
    const hint =
      closest === undefined ? ` The functions are ${functionNames.join(', ')}.` : ` Did you mean ${closest}()?`
    const message = `Unknown function ${abbreviate(call.name)}().${hint}`
    return rejectWith(resolving, nameSpan, message, closest === undefined ? null : replace(nameSpan, closest))
  }
  const form = forms[call.name]
  if (call.arguments.length === form.arguments) return call.name
  const count = form.arguments === 1 ? 'one argument' : 'a context and an attribute name'
  return rejectWith(resolving, call, `${call.name}() takes ${count}, as in ${form.example}`)
}

function resolveContext(resolving: Resolving, value: Value): string | undefined {
  if (value.parts.length > 1) {
    const message = 'The name of a context cannot contain the wildcard *. For the character *, write \\*'
    return rejectWith(resolving, value, message)
  }
  const wrong = wrongContext(value.parts[0]!)
  return wrong === undefined ? value.parts[0]! : rejectWith(resolving, value, wrong)
}

function resolveNameArgument(resolving: Resolving, scope: Scope, value: Value): AttributeName | undefined {
  const name = plainName(resolving, value)
  if (name === undefined) return undefined
  return resolveAttributeName(resolving, scope, { name, span: value, isArgument: true, lead: '' })
}

/** Returns the value as a name. Rejects wildcards, which a name cannot contain. */
export function plainName(resolving: Resolving, value: Value): string | undefined {
  if (value.parts.length === 1) return value.parts[0]!
  const found = abbreviate(written(resolving, value))
  const message = `A name cannot contain the wildcard *, found ${found}. For the character *, write \\*`
  return rejectWith(resolving, value, message)
}
