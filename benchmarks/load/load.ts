export interface HttpRequest {
  method: 'POST'
  path: string
  headers: Record<string, string>
  body: string
}

export interface LoadJob {
  url: string
  connections: number
  /**
   * For each connection, the requests that it sends in turn, repeatedly. If there are fewer lists than connections,
   * several connections use the same list.
   */
  requests: readonly (readonly HttpRequest[])[]
  until: { seconds: number } | { requests: number }
}

export interface LoadResult {
  /** Number of responses with status 2xx. */
  succeeded: number
  /** Total number of broken connections, timeouts, and responses with a status other than 2xx. */
  failed: number
  seconds: number
  latency: { p50: number; p99: number }
  /** Total size of all responses. Whether the size includes headers depends on the load generator. */
  bytes: number
}

export interface Load {
  name: string
  run(job: LoadJob): Promise<LoadResult>
  close(): Promise<void>
}
