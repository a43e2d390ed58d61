/** One route of the REST API: a GraphQL document, and how its variables and its answer look in HTTP. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /rest/v1. `{name}` is the document's variable of that name. */
  readonly path: string
  /** What it does, in one sentence. */
  readonly summary: string
  /**
   * One named operation; fragments of `fragments.ts` are added. Variables that are not in the path are query parameters of a GET,
   * and members of the body of any other route. `$self` is the viewer's own id.
   */
  readonly document: string
  /** Where in the data the answer stands, such as `login.device[0]` or `login.accessKeys[key]`; the data itself if left away. */
  readonly at?: string
  /** 201: something new is there, at `location`. 204: all went well, and there is nothing to tell. */
  readonly status: 200 | 201 | 204
  /** Below /rest/v1. `{device.id}` is taken from the answer. */
  readonly location?: string
  /** The variable that the body is, as a whole. */
  readonly body?: string
  /** Members of the body that must be written out, though null. */
  readonly written?: readonly string[]
  /** A member of the answer without which there is no such thing, and what that is called. */
  readonly found?: readonly [member: string, what: string]
  /** Needs no signature, as permissions.ts has it. */
  readonly isPublic?: true
}

export const routeName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`
