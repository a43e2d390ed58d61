import { expect, onTestFinished, test, vi } from 'vitest'

/** Replaces the browser's objects. The server accepts all streams and sends no events. Returns the streams' signals. */
function stubBrowser(): AbortSignal[] {
  const streams: AbortSignal[] = []
  const fetchStream = async (_path: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    streams.push(signal)
    const body = new ReadableStream({
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('location', { pathname: '/' })
  vi.stubGlobal('fetch', fetchStream)
  onTestFinished(() => void vi.unstubAllGlobals())
  return streams
}

test('keeps only one stream when the subscription is stopped and immediately started again', async () => {
  const streams = stubBrowser()
  const { liveEvents } = await import('./live-events.ts')
  onTestFinished(() => liveEvents.stop())
  liveEvents.start()
  await expect.poll(() => liveEvents.status).toBe('live')
  liveEvents.stop()
  liveEvents.start()
  await expect.poll(() => liveEvents.status).toBe('live')
  // If the first stream were retried, another stream would start after half a second.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(streams.map(({ aborted }) => aborted)).toEqual([true, false])
})
