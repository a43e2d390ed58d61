export interface SyntaxTree {
  readonly kind: 'Document'
  readonly definitions: readonly object[]
}

interface Node {
  readonly kind: string
  readonly name?: Node
  readonly value?: unknown
  readonly [member: string]: unknown
}

/** Converts a parsed document to a string. Throws TypeError if the document is not executable. */
export const printDocument = (document: SyntaxTree): string =>
  document.definitions.map((node) => print(node as Node)).join('\n')

function print(node: Node): string {
  const write = writers[node.kind]
  if (write === undefined) throw new TypeError(`a document can contain only operations and fragments, not ${node.kind}`)
  return write(node)
}

const one = (node: unknown): string => (node === undefined || node === null ? '' : print(node as Node))
const all = (nodes: unknown, between = ' '): string => ((nodes ?? []) as Node[]).map(print).join(between)
const wrap = (start: string, text: string, end = ''): string => (text === '' ? '' : start + text + end)

const directives = (node: Node): string => wrap(' ', all(node.directives))

const writers: Readonly<Record<string, (node: Node) => string>> = {
  OperationDefinition: (node) =>
    `${node.operation}${wrap(' ', one(node.name))}${wrap('(', all(node.variableDefinitions, ', '), ')')}${directives(node)} ${one(node.selectionSet)}`,
  FragmentDefinition: (node) =>
    `fragment ${one(node.name)} on ${one(node.typeCondition)}${directives(node)} ${one(node.selectionSet)}`,
  VariableDefinition: (node) =>
    `${one(node.variable)}: ${one(node.type)}${wrap(' = ', one(node.defaultValue))}${directives(node)}`,
  SelectionSet: (node) => `{ ${all(node.selections)} }`,
  Field: (node) =>
    `${wrap('', one(node.alias), ': ')}${one(node.name)}${wrap('(', all(node.arguments, ', '), ')')}${directives(node)}${wrap(' ', one(node.selectionSet))}`,
  FragmentSpread: (node) => `...${one(node.name)}${directives(node)}`,
  InlineFragment: (node) => `...${wrap(' on ', one(node.typeCondition))}${directives(node)} ${one(node.selectionSet)}`,
  Directive: (node) => `@${one(node.name)}${wrap('(', all(node.arguments, ', '), ')')}`,
  Argument: (node) => `${one(node.name)}: ${one(node.value)}`,
  Name: (node) => String(node.value),
  Variable: (node) => `$${one(node.name)}`,
  NamedType: (node) => one(node.name),
  ListType: (node) => `[${one(node.type)}]`,
  NonNullType: (node) => `${one(node.type)}!`,
  IntValue: (node) => String(node.value),
  FloatValue: (node) => String(node.value),
  EnumValue: (node) => String(node.value),
  BooleanValue: (node) => String(node.value),
  NullValue: () => 'null',
  // JSON strings are valid GraphQL strings, because GraphQL supports all JSON escapes (§2.9.4).
  StringValue: (node) => JSON.stringify(node.value),
  ListValue: (node) => `[${all(node.values, ', ')}]`,
  ObjectValue: (node) => `{${all(node.fields, ', ')}}`,
  ObjectField: (node) => `${one(node.name)}: ${one(node.value)}`,
}
