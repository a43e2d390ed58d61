import type { ServiceHistory } from '../services/service-history.ts'
import type { Values } from '../sources/unreported-values.ts'
import type { AgentStatus } from './status-message.ts'

export interface StatusReport {
  current(): AgentStatus
  identify(device: Pick<AgentStatus, 'deviceId' | 'url' | 'broker'>): void
  connected(): void
  disconnected(problem: string): void
}

export function createStatusReport({ history, values }: { history: ServiceHistory; values: Values }): StatusReport {
  const now = (): string => new Date().toISOString()
  let device = { deviceId: '', url: '', broker: '' }
  let connection = { connected: false, since: now(), problem: 'not connected yet' as string | undefined }
  return {
    current: () => ({
      ...device,
      ...connection,
      memoryMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
      services: history.all().map(({ name, port, goneSince }) => ({
        name,
        port,
        state: goneSince === null ? 'active' : 'inactive',
      })),
      values: values.all(),
    }),
    identify({ deviceId, url, broker }) {
      device = { deviceId, url, broker }
    },
    connected() {
      connection = { connected: true, since: now(), problem: undefined }
    },
    disconnected(problem) {
      const since = connection.connected ? now() : connection.since
      connection = { connected: false, since, problem }
    },
  }
}
