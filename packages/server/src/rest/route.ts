import { routesByName } from '../lib/routes-by-name.ts'

/** A route of the REST API. It has a GraphQL document, and maps the document's variables and response to HTTP. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below /rest/v1. A placeholder `{name}` stands for a variable of the document, or for a key in `at`. */
  readonly path: string
  readonly summary: string
  /**
   * The GraphQL document. For GET, its variables that are not in the path are query parameters. For other methods, they
   * are members of the body, unless `body` is set. `$self` is the ID of the caller's account.
   */
  readonly document: string
  /**
   * The path of the response in the document's result, such as `login.device[0]` or `login.accessKeys[key]`. If
   * omitted, the response is the whole result.
   */
  readonly at?: string
  /** Set for routes whose response has no body. For the status of the other routes, see `statusOf`. */
  readonly status?: 204
  /** The new object's path below /rest/v1. A placeholder such as `{device.id}` stands for a member of the response. */
  readonly location?: string
  /** The name of the variable whose value is the whole body. */
  readonly body?: string
  /** The names of the members that the body must contain, even if their value is null. */
  readonly written?: readonly string[]
  /** A member of the response and its noun in the error NOT_FOUND, which the server returns if the member is null. */
  readonly found?: readonly [member: string, what: string]
  /** Whether the route requires no signature. The value must match field-permissions.ts. */
  readonly isPublic?: true
}

export const defineRoutes = routesByName<Route>

export const routeName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

/** Returns the HTTP status code of a successful response. A route with `location` creates an object. */
export const statusOf = ({ status, location }: Route): 200 | 201 | 204 => status ?? (location === undefined ? 200 : 201)
