// This program runs each `LoadJob` that arrives as a message, and replies with a `LoadResult`.
import autocannon from 'autocannon'

process.on('message', async ({ url, connections, requests, until }) => {
  let next = 0
  const result = await autocannon({
    url,
    connections,
    ...('requests' in until ? { amount: until.requests } : { duration: until.seconds }),
    timeout: 60,
    // autocannon checks at this interval, in milliseconds, whether `duration` has elapsed.
    sampleInt: 50,
    setupClient: (client) => client.setRequests(requests[next++ % requests.length]),
  })
  process.send({
    succeeded: result['2xx'],
    failed: result.non2xx + result.errors,
    seconds: (result.finish - result.start) / 1_000,
    latency: { p50: result.latency.p50, p99: result.latency.p99 },
    bytes: result.throughput.total,
  })
})
