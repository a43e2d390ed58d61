import type { Connections } from '../features/presence/connections.ts'
import type { LogRefusal } from '../http/refusals.ts'
import type { Metrics } from '../metrics.ts'
import { tracePublications } from '../tracing/publication-spans.ts'
import type { Tracing } from '../tracing/tracing.ts'

export interface Measured {
  broker: { readonly size: number }
  connections: Pick<Connections, 'size'>
}

export function measureMqtt(metrics: Metrics, { broker, connections }: Measured): void {
  metrics.gauge('mqttConnections', () => broker.size)
  metrics.gauge('devicesConnected', () => connections.size)
}

/** Takes a publication: counted once it is. */
export type TakePublication = <Result>(kind: string, take: () => Promise<Result>) => Promise<Result>

export function watchPublications(metrics: Metrics, tracing: Tracing | undefined): TakePublication {
  const count = metrics.counter('mqttPublications')
  const trace: TakePublication = tracing === undefined ? (_kind, take) => take() : tracePublications(tracing)
  return async (kind, take) => {
    const result = await trace(kind, take)
    count(kind)
    return result
  }
}

/** Counts what is refused besides writing it to the log, where each reason is told now and then only. */
export function countRefusals(metrics: Metrics, log: LogRefusal): LogRefusal {
  const count = metrics.counter('mqttRefusals')
  return (reason, details) => {
    count(reason)
    log(reason, details)
  }
}
