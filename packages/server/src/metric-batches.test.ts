import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> =>
  (await metrics.text()).text.split('\n').filter((line) => line.startsWith(name))

test('counts every call exactly once, however often the metrics are read', async () => {
  const metrics = createMetrics()
  const [count, otherCount] = [metrics.counter('requests'), metrics.counter('requests')]
  count('login', '200', 'OK')
  otherCount('login', '200', 'OK')
  count('login', '401', 'UNAUTHENTICATED')
  const lines = [
    'muster_requests_total{operation="login",status="200",code="OK"} 2',
    'muster_requests_total{operation="login",status="401",code="UNAUTHENTICATED"} 1',
  ]
  expect(await linesOf(metrics, 'muster_requests_total')).toEqual(lines)
  expect(await linesOf(metrics, 'muster_requests_total')).toEqual(lines)
  count('login', '200', 'OK')
  expect((await linesOf(metrics, 'muster_requests_total'))[0]).toMatch(/ 3$/)
})

test('includes every value in histograms after several batches', async () => {
  const metrics = createMetrics()
  const add = metrics.histogram('requestSeconds')
  for (let value = 0; value < 2_500; value++) add(1, 'query')
  add(2, 'mutation')
  const counts = ['muster_request_seconds_count{kind="query"} 2500', 'muster_request_seconds_count{kind="mutation"} 1']
  expect(await linesOf(metrics, 'muster_request_seconds_count')).toEqual(counts)
  expect(await linesOf(metrics, 'muster_request_seconds_sum')).toEqual([
    'muster_request_seconds_sum{kind="query"} 2500',
    'muster_request_seconds_sum{kind="mutation"} 2',
  ])
})
