import type { ServiceBook } from '../services/service-book.ts'
import type { Values } from '../sources/values.ts'
import type { AgentStatus } from './status.ts'

/** Keeps in mind how the connection is, for whoever asks. */
export interface Teller {
  tell(): AgentStatus
  identify(device: Pick<AgentStatus, 'deviceId' | 'url' | 'broker'>): void
  connected(): void
  away(problem: string): void
}

export function createTeller({ book, values }: { book: ServiceBook; values: Values }): Teller {
  const now = (): string => new Date().toISOString()
  let device = { deviceId: '', url: '', broker: '' }
  let connection = { connected: false, since: now(), problem: 'not signed on yet' as string | undefined }
  return {
    tell: () => ({
      ...device,
      ...connection,
      memoryMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
      services: book.all().map(({ name, port, goneSince }) => ({
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
    away(problem) {
      const since = connection.connected ? now() : connection.since
      connection = { connected: false, since, problem }
    },
  }
}
