/** A route of the REST API: a GraphQL document and the mapping of its variables and its response to HTTP. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below /rest/v1. `{name}` is the document's variable of that name. */
  readonly path: string
  readonly summary: string
  /**
   * One named operation. The fragments that it spreads are added from `fragments.ts`. Variables that are not in the path are
   * query parameters for GET, and body members for other methods. `$self` is the viewer's ID.
   */
  readonly document: string
  /**
   * The path of the response in the data, such as `login.device[0]` or `login.accessKeys[key]`. If omitted, the response is all
   * data.
   */
  readonly at?: string
  /** 201 if the route creates an object at `location`. 204 if the response has no body. */
  readonly status: 200 | 201 | 204
  /** The path of the new object below /rest/v1. A placeholder such as `{device.id}` stands for a response member. */
  readonly location?: string
  /** The variable whose value is the whole body. */
  readonly body?: string
  /** Members that the body must contain, even if they are null. */
  readonly written?: readonly string[]
  /** A response member that must not be null, and the noun for the error NOT_FOUND. */
  readonly found?: readonly [member: string, what: string]
  /** Whether the route requires no signature, in accordance with field-permissions.ts. */
  readonly isPublic?: true
}

export const routeName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`
