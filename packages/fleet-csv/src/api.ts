/** Runs GraphQL documents on the API. `Muster` of `@muster/client` implements this interface. */
export interface Api {
  /**
   * Returns the response's `data`. If the document fails even after retries, rejects with an Error. The Error's `code`
   * is an API error code or a code of the client, such as `NO_ANSWER`.
   */
  query<Data>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Data>
}

/** Returns the `code` of an error, such as an API error code, or undefined if the `code` is not a string. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
