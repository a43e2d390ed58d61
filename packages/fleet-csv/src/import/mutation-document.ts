export interface MutationField {
  field: string
  arguments: Record<string, { type: string; value: unknown }>
  /** The selection of the result. Empty if the result is a scalar. */
  selection: string
}

/**
 * Creates a document that runs the fields in order. Each field has the alias `m` followed by its index, such as `m0`.
 */
export function mutationDocument(fields: readonly MutationField[]): {
  document: string
  variables: Record<string, unknown>
} {
  const declared: string[] = []
  const variables: Record<string, unknown> = {}
  const selections = fields.map(({ field, arguments: given, selection }, index) => {
    const passed = Object.entries(given).map(([name, { type, value }]) => {
      declared.push(`$${name}${index}: ${type}`)
      variables[`${name}${index}`] = value
      return `${name}: $${name}${index}`
    })
    return `m${index}: ${field}(${passed.join(', ')}) ${selection}`
  })
  return { document: `mutation Import(${declared.join(', ')}) { ${selections.join(' ')} }`, variables }
}
