import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../../e2e/chromium.ts'
import { startEnvironment } from '../environment/start-environment.ts'
import { percentile } from '../report/statistics.ts'
import { openSignedIn } from './open-signed-in.ts'

const [devices = 100_000, rounds = 5] = process.argv.slice(2).map(Number)
/** The measurement fails if the result of a step does not appear within this time. */
const TIMEOUT_MS = 30_000

/**
 * The text in the search box, and the key to press next. The key must not complete the only matching name, because the
 * search box would then offer no completions.
 */
const typing: Record<string, [before: string, key: string]> = {
  'a name': ['', 's'],
  'a longer name': ['firmwa', 'r'],
  'an operator': ['site', ' '],
  'the values of an attribute': ['site =', ' '],
  'the values of a field': ['platform =', ' '],
  'the values in a group': ['net.ssid = ', 'o'],
  'the ports of services': ['services.port =', ' '],
  'a relative time': ['lastReported >', ' '],
  'a second condition': ['site = oslo AND ', 'f'],
  'a context': ['in', '('],
}

const filters: Record<string, string> = {
  'one value of an attribute': 'site = oslo',
  'two values and a state': 'site = (oslo OR bergen) AND state = inactive',
  'a group': 'net.ssid = "warehouse 5 GHz"',
  'part of a name': 'camera-oslo',
  'a port of services': 'services.port = 22',
  'NOT, without an index': 'NOT site:* OR firmware = "1.8.2"',
  'a pattern, without an index': 'site = *berg*',
  'a comparison of versions, without an index': 'firmware >= "2.4"',
  'no matches, without an index': 'firmware:nothing',
}

const environment = await startEnvironment({ devices, services: 4, profile: undefined })
let browser: Browser | undefined
try {
  await addSamples()
  browser = await chromium.launch(chromiumOptions)
  const { page, url } = await openSignedIn(browser, environment)
  console.log('From opening the URL until the page is complete:')
  console.table({ overview: await measureOverview(page, url), events: await measureEvents(page, url) })
  await page.goto(`${url}/devices`)
  await page.evaluate(`measure.untilShown(${TIMEOUT_MS})`)
  await page.getByLabel('Search devices').click()
  await sleep(1_000)
  console.log('From a keystroke until completions are shown:')
  console.table(await measureTyping(page))
  console.log('From entering a filter until its first rows are shown:')
  console.table(await measureFilters(page))
} finally {
  await browser?.close()
  await environment.close()
}

/** Adds a day of samples of the active devices, because the overview otherwise shows a message instead of a curve. */
async function addSamples(): Promise<void> {
  await environment.pool.query(
    `insert into presence_sample (account_id, minutes, at, devices, online, min_online)
      select account_id, 5, date_bin('5 minutes', now(), '2000-01-01') - n * interval '5 minutes', $1, $1 - n, $1 - 2 * n
      from (select distinct account_id from device) as account, generate_series(1, 288) as n`,
    [devices],
  )
}

async function measureOverview(page: Page, url: string): Promise<object> {
  return measurePage(page, `${url}/overview`, [
    'a[aria-label^="Active: "]',
    'a[aria-label^="Registered in the last 7 days: "]',
    'section[aria-label="Active devices"] figure svg path',
    'table[aria-label^="Active devices by"] tbody tr',
    'section[aria-label="Longest without a report"] li',
    'section[aria-label="Newest events"] :is(li, p)',
  ])
}

async function measureEvents(page: Page, url: string): Promise<object> {
  return measurePage(page, `${url}/events`, [
    'section[aria-label="Events over time"] button[title]',
    'table[aria-label="Events"] tr',
  ])
}

/**
 * Opens the page repeatedly and measures the time until every selector matches an element. Reports the time of the
 * first round separately, because the browser has not yet cached all files of the page in that round.
 */
async function measurePage(page: Page, address: string, selectors: readonly string[]): Promise<object> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    await page.goto(address, { waitUntil: 'commit' })
    times.push(await page.evaluate<number>(`measure.untilAll(${JSON.stringify(selectors)}, ${TIMEOUT_MS})`))
    // Wait for statements that still count devices or events, because the server runs only a few of these statements
    // per account at a time.
    await sleep(2_000)
  }
  return { 'first ms': Math.round(times[0]!), ...summary(times.slice(1)) }
}

async function measureTyping(page: Page): Promise<Record<string, object>> {
  const input = page.getByLabel('Search devices')
  const figures: Record<string, object> = {}
  for (const [name, [before, key]] of Object.entries(typing)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await input.fill(before)
      await sleep(600)
      await page.evaluate('measure.begin()')
      await page.keyboard.type(key)
      times.push(await page.evaluate<number>(`measure.untilOptions(${TIMEOUT_MS})`))
    }
    figures[name] = summary(times)
  }
  await input.fill('')
  await sleep(1_000)
  return figures
}

async function measureFilters(page: Page): Promise<Record<string, object>> {
  const input = page.getByLabel('Search devices')
  const figures: Record<string, object> = {}
  for (const [name, filter] of Object.entries(filters)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await page.evaluate('measure.begin()')
      await input.fill(filter)
      times.push(await page.evaluate<number>(`measure.untilShown(${TIMEOUT_MS})`))
      await input.fill('')
      await sleep(800)
    }
    figures[name] = summary(times)
  }
  return figures
}

function summary(times: readonly number[]): object {
  return { 'median ms': Math.round(percentile(times, 0.5)), 'max ms': Math.round(Math.max(...times)) }
}
