/** What runs documents on the API: `Muster` of `@muster/client`, or a browser's session. */
export interface Api {
  /** Returns an answer's `data`. Rejects with an Error that has the API's `code`, after as many tries as are worth while. */
  query<Data>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Data>
}

/** The code of an error of the API or of the way to it, undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
