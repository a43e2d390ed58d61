import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../../e2e/chromium.ts'
import { startEnvironment } from '../environment/start-environment.ts'
import { percentile } from '../report/statistics.ts'
import { graphql, send, toRequest } from '../run/operation.ts'
import { openSignedIn } from './open-signed-in.ts'

const [devices = 100_000, rounds = 10, changesPerSecond = 100, seconds = 20] = process.argv.slice(2).map(Number)
const ROW_HEIGHT = 36
/** The measurement fails unless the list has changed and its visible rows have loaded within this time. */
const TIMEOUT_MS = 30_000

interface List {
  page: Page
  /** Performs an action. Returns the milliseconds from its first press, input, or scroll until new rows are loaded. */
  time(action: () => Promise<unknown>): Promise<number>
}

const environment = await startEnvironment({ devices, services: 4, profile: undefined })
let browser: Browser | undefined
try {
  browser = await chromium.launch(chromiumOptions)
  const list = await openList(browser)
  console.table(await measureActions(list))
  console.table(await measureLiveChanges(list.page))
} finally {
  await browser?.close()
  await environment.close()
}

async function openList(browser: Browser): Promise<List> {
  const { page, url } = await openSignedIn(browser, environment)
  await page.goto(`${url}/devices`)
  await page.evaluate(`measure.untilShown(${TIMEOUT_MS})`)
  return {
    page,
    async time(action) {
      await page.evaluate('measure.begin()')
      await action()
      return page.evaluate<number>(`measure.untilShown(${TIMEOUT_MS})`)
    },
  }
}

async function measureActions({ page, time }: List): Promise<Record<string, object>> {
  const header = (name: string) => page.getByTitle(`Sort by ${name}`, { exact: true })
  const scrollTo = (row: number) =>
    page
      .getByRole('grid', { name: 'Devices' })
      .evaluate((element, top) => element.scrollTo({ top, behavior: 'instant' }), row * ROW_HEIGHT)
  const actions: Record<string, (round: number) => Promise<unknown>> = {
    'scroll a page': (round) => scrollTo(20 * (round + 1)),
    'scroll anywhere': (round) => scrollTo(Math.floor(devices * ((round * 0.37 + 0.2) % 1))),
    'sort by state': () => header('State').click(),
    'sort by name': () => header('Name').click(),
    'sort by Status A': () => header('Status A').click(),
    'search for a word': (round) => page.getByLabel('Search devices').fill(round % 2 === 0 ? '' : `${round}4`),
  }
  const figures: Record<string, object> = {}
  for (const [name, action] of Object.entries(actions)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      times.push(await time(() => action(round + 1)))
      await sleep(300)
    }
    await page.getByLabel('Search devices').fill('')
    await scrollTo(0)
    await sleep(1_000)
    figures[name] = {
      'median ms': Math.round(percentile(times, 0.5)),
      'max ms': Math.round(Math.max(...times)),
    }
  }
  return figures
}

async function measureLiveChanges(page: Page): Promise<Record<string, unknown>> {
  const { url } = await environment.processOf('server')
  const query = (document: string) => send(url, toRequest(url, graphql('server', document), environment.accessKey))
  const response = (await query('{ login { devices(size: 100) { items { id } } } }')) as {
    data: { login: { devices: { items: { id: string }[] } } }
  }
  const ids = response.data.login.devices.items.map(({ id }) => id)
  const frames = page.evaluate<{ gaps: number[]; longTasks: number }>(`measure.frames(${seconds * 1_000})`)
  let sent = 0
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const began = performance.now()
    const batch = Array.from({ length: changesPerSecond / 10 }, () => ids[sent++ % ids.length])
    await Promise.all(
      batch.map((id, index) =>
        query(`mutation { setAttribute(serviceId: "${id}", name: "$svc.statusA", value: "at ${sent + index}") }`),
      ),
    )
    await sleep(Math.max(0, 100 - (performance.now() - began)))
  }
  const { gaps, longTasks } = await frames
  return {
    'changes per second': Math.round(sent / seconds),
    'frames per second': Math.round(gaps.length / seconds),
    'p99 ms between frames': Math.round(percentile(gaps, 0.99)),
    'max ms between frames': Math.round(Math.max(...gaps)),
    'tasks over 50 ms': longTasks,
  }
}
