export interface ServicesSearch {
  /** Service filter in the API's filter language. */
  where?: string
  view?: string
  /** Sort order in the API's format, such as `port asc` or `-device.name`. */
  sort?: string
  /** Cursor after which the page begins. */
  after?: string
}

/** Converts a number in `where` back to a string, because the router parses `where=7` as a number. */
export function servicesSearch({ where, view, sort, after }: Record<string, unknown>): ServicesSearch {
  const text = typeof where === 'number' ? String(where) : where
  return {
    ...(typeof text === 'string' && text !== '' ? { where: text } : {}),
    ...(typeof view === 'string' && view !== '' ? { view } : {}),
    ...(typeof sort === 'string' && sort !== '' ? { sort } : {}),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
  }
}
