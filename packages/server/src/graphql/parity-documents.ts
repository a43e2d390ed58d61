import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { OperationRequest } from './prepare-operation.ts'

export interface DocumentWalk {
  readonly schema: GraphQLSchema
  /**
   * Whether to generate directives outside leaf fields, nullable conditions, and variables inside literals, which
   * prevent compilation.
   */
  readonly gated: boolean
}

export const requests = (walk: DocumentWalk): fc.Arbitrary<OperationRequest> =>
  fc.infiniteStream(fc.nat({ max: 0xffff })).map((stream) => {
    const choose = (among: number): number => (stream.next().value ?? 0) % among
    return new Writer(walk, choose).operation()
  })

const strings = ['', 'a', 'ß"\\', '__proto__', '2020-02-02']

class Writer {
  private readonly declared: string[] = []
  private readonly variables: Record<string, unknown> = {}
  private readonly fragments: string[] = []
  private readonly byType = new Map<string, string[]>()
  private readonly walk: DocumentWalk
  private readonly choose: (among: number) => number
  private names = 0

  constructor(walk: DocumentWalk, choose: (among: number) => number) {
    this.walk = walk
    this.choose = choose
  }

  operation(): OperationRequest {
    const { schema } = this.walk
    const isMutation = this.choose(5) === 0
    const type = isMutation ? schema.getMutationType()! : schema.getQueryType()!
    const selection = this.selection(type, 4)
    const declarations = this.declared.length > 0 ? `(${this.declared.join(' ')})` : ''
    const query = `${isMutation ? 'mutation' : 'query'} ${declarations} ${selection}\n${this.fragments.join('\n')}`
    return { query, variables: this.variables }
  }

  private selection(type: GraphQLObjectType, depth: number): string {
    const parts = Array.from({ length: 1 + this.choose(4) }, () => this.part(type, depth))
    return `{ ${parts.join(' ')} }`
  }

  private part(type: GraphQLObjectType, depth: number): string {
    if (depth > 0 && this.choose(6) === 0) return `...${this.directive('gated')} ${this.selection(type, depth - 1)}`
    if (depth > 0 && this.choose(6) === 0) return `...${this.fragment(type, depth - 1)} ${this.directive('gated')}`
    if (this.choose(10) === 0) return '__typename'
    const fields = Object.values(type.getFields()).filter(
      (field) => depth > 0 || !isObjectType(getNamedType(field.type)),
    )
    const field = fields[this.choose(fields.length)]
    return field ? this.field(field, depth) : '__typename'
  }

  private field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type)
    // The response key must be unique, because fields with the same response key must have equal arguments.
    const alias = field.args.length > 0 || this.choose(4) === 0 ? `${this.name('k')}: ` : ''
    const args = this.arguments(field.args)
    if (!isObjectType(type)) return `${alias}${field.name}${args} ${this.directive('leaf')}`
    return `${alias}${field.name}${args} ${this.directive('gated')} ${this.selection(type, depth - 1)}`
  }

  private fragment(type: GraphQLObjectType, depth: number): string {
    const known = this.byType.get(type.name) ?? []
    if (known.length > 0 && this.choose(2) === 0) return known[this.choose(known.length)]!
    const name = this.name('F')
    this.fragments.push(`fragment ${name} on ${type.name} ${this.selection(type, depth)}`)
    this.byType.set(type.name, [...(this.byType.get(type.name) ?? []), name])
    return name
  }

  private directive(where: 'leaf' | 'gated'): string {
    if (where === 'gated' && !this.walk.gated) return ''
    if (this.choose(4) !== 0) return ''
    const name = this.choose(2) === 0 ? 'skip' : 'include'
    const value = this.choose(2) === 0
    if (this.choose(3) === 0) return `@${name}(if: ${value})`
    const variable = this.name('v')
    if (this.walk.gated && this.choose(3) === 0) this.declared.push(`$${variable}: Boolean = ${!value}`)
    else this.declared.push(`$${variable}: Boolean!`)
    this.variables[variable] = value
    return `@${name}(if: $${variable})`
  }

  private arguments(args: readonly GraphQLArgument[]): string {
    const given = args.filter((arg) => isRequired(arg) || this.choose(2) === 0)
    if (given.length === 0) return ''
    return `(${given.map((arg) => `${arg.name}: ${this.argument(arg)}`).join(', ')})`
  }

  private argument(arg: GraphQLArgument): string {
    if (this.choose(2) === 0) return this.literal(arg.type, 2)
    return this.variable(arg.type, arg.defaultValue !== undefined)
  }

  private variable(type: GraphQLInputType, mayBeNullable: boolean): string {
    const name = this.name('v')
    const isOpen = !isNonNullType(type) || (mayBeNullable && this.choose(2) === 0)
    const nullable = getNullableType(type)
    const withDefault = this.choose(3) === 0 && isConstant(nullable)
    const declared = isOpen ? String(nullable) : String(type)
    this.declared.push(`$${name}: ${declared}${withDefault ? ` = ${this.constant(nullable)}` : ''}`)
    const option = isOpen ? this.choose(4) : withDefault ? this.choose(4) || 1 : 1
    if (option === 0) this.variables[name] = null
    else if (option !== 2 || !(isOpen || withDefault)) this.variables[name] = this.json(nullable, 2)
    return `$${name}`
  }

  private literal(type: GraphQLInputType, depth: number): string {
    if (!isNonNullType(type) && this.choose(8) === 0) return 'null'
    const nullable = getNullableType(type)
    const isInside = depth < 2
    if (isInside && this.walk.gated && this.choose(3) === 0) return this.variable(type, false)
    if (isListType(nullable)) {
      if (this.choose(4) === 0) return this.literal(nullable.ofType, depth - 1)
      return `[${Array.from({ length: this.choose(3) }, () => this.literal(nullable.ofType, depth - 1)).join(', ')}]`
    }
    if (!isInputObjectType(nullable)) return this.constant(nullable)
    const fields = Object.values(nullable.getFields()).filter(
      (field) =>
        isRequired(field) || (this.choose(2) === 0 && (depth > 0 || !isInputObjectType(getNamedType(field.type)))),
    )
    return `{${fields.map((field) => `${field.name}: ${this.literal(field.type, depth - 1)}`).join(', ')}}`
  }

  private constant(type: GraphQLInputType): string {
    if (isEnumType(type)) return type.getValues()[this.choose(type.getValues().length)]!.name
    return JSON.stringify(this.json(type, 0))
  }

  private json(type: GraphQLInputType, depth: number): unknown {
    const nullable = getNullableType(type)
    if (isListType(nullable)) return Array.from({ length: this.choose(3) }, () => this.json(nullable.ofType, depth - 1))
    if (isEnumType(nullable)) return nullable.getValues()[this.choose(nullable.getValues().length)]!.name
    if (isInputObjectType(nullable))
      return { width: this.choose(9), ...(depth > 0 && { inner: this.json(type, depth - 1) }) }
    switch (getNamedType(nullable).name) {
      case 'Int':
        return this.choose(9) - 1
      case 'Boolean':
        return this.choose(2) === 0
      case 'DateTime':
        return '2020-02-02'
      default:
        return strings[this.choose(strings.length)]
    }
  }

  private name(prefix: string): string {
    this.names += 1
    return `${prefix}${this.names}`
  }
}

const isRequired = (input: { type: GraphQLInputType; defaultValue: unknown }): boolean =>
  isNonNullType(input.type) && input.defaultValue === undefined

const isConstant = (type: GraphQLInputType): boolean => !isListType(type) && !isInputObjectType(type)
