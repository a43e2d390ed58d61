import type { Graph } from '@viz-js/viz'
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

/**
 * Returns the graph from which Graphviz draws the objects, interfaces, and unions that are reachable from a root type.
 * Each type is a node with an HTML-like label (https://graphviz.org/doc/info/shapes.html#html).
 */
export function describeGraph(schema: GraphQLSchema, root: GraphQLNamedType): Graph {
  const types = reachableTypes(schema, root)
  return {
    directed: true,
    graphAttributes: { rankdir: 'LR', ranksep: 1.5, nodesep: 0.3, bgcolor: 'transparent' },
    nodeAttributes: { shape: 'plaintext', fontname: 'Helvetica', fontsize: 14 },
    edgeAttributes: { arrowsize: 0.8 },
    nodes: types.map((type) => ({ name: type.name, attributes: { label: { html: tableOf(type) }, class: 'type' } })),
    edges: types.flatMap((type) => edgesOf(schema, type)),
  }
}

function reachableTypes(schema: GraphQLSchema, root: GraphQLNamedType): GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>([root])
  for (const type of found) {
    for (const next of nextTypes(schema, type)) found.add(next)
  }
  return [...found]
}

/** Excludes scalars and enums, because no other types are reachable from them. */
const nextTypes = (schema: GraphQLSchema, type: GraphQLNamedType): GraphQLNamedType[] => [
  ...fieldsOf(type)
    .map((field) => getNamedType(field.type))
    .filter(isCompositeType),
  ...possibleTypes(schema, type),
]

const fieldsOf = (type: GraphQLNamedType): GraphQLField<unknown, unknown>[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []

const possibleTypes = (schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLNamedType[] =>
  isAbstractType(type) ? schema.getPossibleTypes(type) : []

function edgesOf(schema: GraphQLSchema, type: GraphQLNamedType): NonNullable<Graph['edges']> {
  const fields = fieldsOf(type).filter((field) => isCompositeType(getNamedType(field.type)))
  return [
    ...fields.map((field) => ({
      tail: type.name,
      head: getNamedType(field.type).name,
      attributes: { tailport: `${field.name}:e`, headport: 'type:w' },
    })),
    ...possibleTypes(schema, type).map(({ name }) => ({
      tail: type.name,
      head: name,
      attributes: { tailport: 'type:e', headport: 'type:w', style: 'dashed' },
    })),
  ]
}

function tableOf(type: GraphQLNamedType): string {
  const rows = fieldsOf(type).map(({ name, type: result }) => {
    const link = `href="#${type.name}.${name}"`
    const text = escapeHtml(String(result))
    return `<tr><td align="left" sides="ltb" ${link}>${name}</td><td align="right" sides="rtb" port="${name}" ${link}>${text}</td></tr>`
  })
  const title = `<tr><td port="type" colspan="2" href="#${type.name}"><b>${type.name}</b></td></tr>`
  return `<table border="0" cellborder="1" cellspacing="0" cellpadding="5">${title}${rows.join('')}</table>`
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
