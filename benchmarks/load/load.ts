/** One of the requests that a connection sends in turn, repeatedly. */
export interface HttpRequest {
  method: 'POST'
  path: string
  headers: Record<string, string>
  body: string
}

export interface LoadJob {
  url: string
  connections: number
  /** The requests of each connection. If the list is shorter than `connections`, it is repeated. */
  requests: readonly (readonly HttpRequest[])[]
  /** The duration, or the total number of requests. */
  until: { seconds: number } | { requests: number }
}

export interface LoadResult {
  /** The number of responses with a 2xx status. */
  succeeded: number
  /** The number of other responses, broken connections, and timeouts. */
  failed: number
  seconds: number
  /** In milliseconds. */
  latency: { p50: number; p99: number }
  /** The size of all responses, including headers. */
  bytes: number
}

/** Generates load, one job at a time. */
export interface Load {
  /** The name in the report. */
  name: string
  run(job: LoadJob): Promise<LoadResult>
  close(): Promise<void>
}
