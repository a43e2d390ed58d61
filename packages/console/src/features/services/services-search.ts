/** The page's state in its URL. */
export interface ServicesSearch {
  /** A filter in the API's language. */
  where?: string
  /** In the API's format: `port asc` or `-device.name`. */
  sort?: string
  /** The cursor after which the page begins. */
  after?: string
}

/** Parses search parameters. Invalid values are ignored. The router parses `where=7` as a number. */
export function servicesSearch({ where, sort, after }: Record<string, unknown>): ServicesSearch {
  const text = typeof where === 'number' ? String(where) : where
  return {
    ...(typeof text === 'string' && text !== '' ? { where: text } : {}),
    ...(typeof sort === 'string' && sort !== '' ? { sort } : {}),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
  }
}
