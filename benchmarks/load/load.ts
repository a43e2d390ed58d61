/** What is sent over one connection in turn, over and over. */
export interface HttpRequest {
  method: 'POST'
  path: string
  headers: Record<string, string>
  body: string
}

export interface LoadJob {
  url: string
  connections: number
  /** For each connection what it sends; where there are fewer, they begin again with the first. */
  requests: readonly (readonly HttpRequest[])[]
  /** Either seconds of load, or requests in all. */
  until: { seconds: number } | { requests: number }
}

export interface LoadResult {
  /** Answers with a status of 2xx. */
  answered: number
  /** Other answers, broken connections, time-outs. */
  failed: number
  seconds: number
  /** Milliseconds. */
  latency: { p50: number; p99: number }
  /** Of answers, heads included. */
  bytes: number
}

/** Makes load, one job at a time. */
export interface Load {
  /** As it stands in the report. */
  name: string
  run(job: LoadJob): Promise<LoadResult>
  close(): Promise<void>
}
