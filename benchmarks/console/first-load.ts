import { type Browser, chromium } from 'playwright-core'
import { chromiumOptions } from '../../e2e/chromium.ts'
import { startEnvironment } from '../environment/start-environment.ts'
import { spreadOf } from '../report/statistics.ts'
import { openSignedIn } from './open-signed-in.ts'

const [devices = 100_000, rounds = 5] = process.argv.slice(2).map(Number)
const TIMEOUT_MS = 60_000
/** A slow mobile link: 1.6 Mbit/s down, 750 kbit/s up, and a round-trip time of 150 ms. */
const slowLink = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 }

const environment = await startEnvironment({ devices, services: 4, profile: undefined })
let browser: Browser | undefined

/**
 * Opens the device list with an empty cache on the slow link. Returns the seconds until the first rows appeared. Also
 * returns the number of responses until then, the bytes of scripts without headers, and the bytes of all responses with
 * headers.
 */
async function loadDevices(browser: Browser) {
  const { page, url } = await openSignedIn(browser, environment)
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Network.enable')
  await devTools.send('Network.emulateNetworkConditions', slowLink)
  const scripts = new Set<string>()
  const sent = { requests: 0, scripts: 0, total: 0 }
  devTools.on('Network.responseReceived', ({ requestId, type, response }) => {
    sent.requests++
    if (type !== 'Script') return
    scripts.add(requestId)
    sent.scripts -= response.encodedDataLength
  })
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sent.total += encodedDataLength
    if (scripts.has(requestId)) sent.scripts += encodedDataLength
  })
  const began = performance.now()
  await page.goto(`${url}/devices`, { waitUntil: 'commit' })
  await page.getByRole('grid').getByRole('row').nth(1).waitFor({ timeout: TIMEOUT_MS })
  const measured = { seconds: (performance.now() - began) / 1_000, ...sent }
  await page.close()
  return measured
}

try {
  browser = await chromium.launch(chromiumOptions)
  const loads: Awaited<ReturnType<typeof loadDevices>>[] = []
  for (let round = 1; round <= rounds; round++) loads.push(await loadDevices(browser))
  const medianOf = (part: keyof (typeof loads)[number]): number => spreadOf(loads.map((load) => load[part])).median
  console.table({
    'seconds until the first rows are shown': medianOf('seconds').toFixed(1),
    'responses until then': medianOf('requests'),
    'kB of JavaScript, compressed, without headers': (medianOf('scripts') / 1_000).toFixed(0),
    'kB of all responses, with headers': (medianOf('total') / 1_000).toFixed(0),
  })
} finally {
  await browser?.close()
  await environment.close()
}
