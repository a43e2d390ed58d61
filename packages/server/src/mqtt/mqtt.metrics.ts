import type { Connections } from '../features/presence/connections.ts'
import type { LogRefusal } from '../http/refusals.ts'
import type { Metrics } from '../metrics.ts'
import type { Broker } from './broker.ts'

export interface Measured {
  broker: Pick<Broker, 'size'>
  connections: Pick<Connections, 'size'>
}

export function measureMqtt(metrics: Metrics, { broker, connections }: Measured): void {
  metrics.gauge('mqttConnections', () => broker.size)
  metrics.gauge('devicesConnected', () => connections.size)
}

/** Counts what is refused besides writing it to the log, where each reason is told now and then only. */
export function countRefusals(metrics: Metrics, log: LogRefusal): LogRefusal {
  const count = metrics.counter('mqttRefusals')
  return (reason, details) => {
    count(reason)
    log(reason, details)
  }
}
