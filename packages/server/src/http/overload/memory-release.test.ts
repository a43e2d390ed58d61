import { once } from 'node:events'
import { connect } from 'node:net'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'

/** Sixteen bodies of 1 MiB reach the total size after which the server releases memory. */
const BODIES = 16

type PerformanceNodeEntry = PerformanceEntry & { detail?: unknown }

/** Counts the garbage collections that the server forces. V8's own collections have other flags. */
function countCollections(): () => number {
  let count = 0
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as PerformanceNodeEntry[]) {
      const { kind, flags } = detail as { kind: number; flags: number }
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR && flags === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) count++
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  onTestFinished(() => observer.disconnect())
  return () => count
}

const metricsOf = async ({ url }: TestApp): Promise<string> => (await fetch(`${url}/metrics`)).text()

test('collects garbage after the connections with large bodies have closed', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const { hostname, port } = new URL(app.url)
  const sockets = await Promise.all(
    Array.from({ length: BODIES }, async () => {
      const socket = connect({ host: hostname, port: Number(port) })
      await once(socket, 'connect')
      socket.write('POST /graphql/v1 HTTP/1.1\r\nhost: x\r\ncontent-length: 1048576\r\n\r\n')
      return socket
    }),
  )
  await vi.waitFor(
    async () => expect(await metricsOf(app)).toContain(`muster_request_body_bytes ${BODIES * 1024 * 1024}\n`),
    { timeout: 60_000 },
  )
  // Wait until the periodic check has counted the bodies.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const collections = countCollections()
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(() => expect(collections()).toBeGreaterThan(0), { timeout: 60_000, interval: 100 })
})
