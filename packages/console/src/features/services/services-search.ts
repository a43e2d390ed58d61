import { stringOf, validSearch } from '../../hooks/valid-search.ts'

export interface ServicesSearch {
  /** Service filter in the API's filter language. */
  where?: string
  view?: string
  /** Sort order in the API's format, such as `port asc` or `-device.name`. */
  sort?: string
  /** Cursor after which the page begins. */
  after?: string
}

export const servicesSearch = validSearch<ServicesSearch>(({ where, view, sort, after }) => ({
  where: stringOf(where),
  view: stringOf(view),
  sort: stringOf(sort),
  after: stringOf(after),
}))
