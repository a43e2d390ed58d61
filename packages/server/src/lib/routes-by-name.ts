/** Lists routes. The keys of `definitions` are the routes' names, such as `GET /devices`. */
export const routesByName = <Route extends { readonly method: string; readonly path: string }>(
  definitions: Readonly<Record<`${Route['method']} /${string}`, Omit<Route, 'method' | 'path'>>>,
): readonly Route[] =>
  Object.entries<object>(definitions).map(([name, definition]) => {
    const [method, path] = name.split(' ')
    return { method, path, ...definition } as Route
  })
