import type { Connections } from '../features/presence/connections.ts'
import type { LogRejection } from '../http/rejection-log.ts'
import type { Metrics } from '../metrics.ts'
import { tracePublications } from '../tracing/publication-spans.ts'
import type { Tracing } from '../tracing/spans.ts'

export interface Measured {
  broker: { readonly size: number }
  connections: Pick<Connections, 'size'>
}

export function measureMqtt(metrics: Metrics, { broker, connections }: Measured): void {
  metrics.gauge('mqttConnections', () => broker.size)
  metrics.gauge('devicesConnected', () => connections.size)
}

/** Runs a publication's handler. Counts the publication if the handler succeeds. */
export type MeasurePublication = <Result>(kind: string, handle: () => Promise<Result>) => Promise<Result>

export function measurePublications(metrics: Metrics, tracing: Tracing | undefined): MeasurePublication {
  const count = metrics.counter('mqttPublications')
  const trace: MeasurePublication = tracing === undefined ? (_kind, handle) => handle() : tracePublications(tracing)
  return async (kind, handle) => {
    const result = await trace(kind, handle)
    count(kind)
    return result
  }
}

/** Counts every rejection, because the log contains only a sample for each reason. */
export function countRejections(metrics: Metrics, log: LogRejection): LogRejection {
  const count = metrics.counter('mqttRefusals')
  return (reason, details) => {
    count(reason)
    log(reason, details)
  }
}
