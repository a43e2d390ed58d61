/** A route of the REST API: a GraphQL document, and how its variables and its response map to HTTP. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below /rest/v1. `{name}` is the document's variable of that name. */
  readonly path: string
  /** What the route does, in one sentence. */
  readonly summary: string
  /**
   * One named operation; fragments of `fragments.ts` are added. Variables that are not in the path are query parameters of a
   * GET, and members of the body otherwise. `$self` is the viewer's id.
   */
  readonly document: string
  /**
   * The path of the response in the data, such as `login.device[0]` or `login.accessKeys[key]`. If omitted, the response is the
   * data.
   */
  readonly at?: string
  /** 201: created, at `location`. 204: done, without a body. */
  readonly status: 200 | 201 | 204
  /** The path of the new object below /rest/v1. `{device.id}` is replaced by a member of the response. */
  readonly location?: string
  /** The variable that is the whole body. */
  readonly body?: string
  /** Members that the body must contain, even if they are null. */
  readonly written?: readonly string[]
  /** A member of the response that must not be null, and the noun for the error NOT_FOUND. */
  readonly found?: readonly [member: string, what: string]
  /** Whether it needs no signature, as in permissions.ts. */
  readonly isPublic?: true
}

export const routeName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`
