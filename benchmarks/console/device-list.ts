import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../../e2e/chromium.ts'
import { graphql, send, toRequest } from '../run/operation.ts'
import { openStage, type Stage } from '../environment/start-environment.ts'
import { percentile } from '../report/statistics.ts'

const [devices = 100_000, times = 10, changesPerSecond = 100, seconds = 20] = process.argv.slice(2).map(Number)
const ROW = 36
/** An act whose rows are not there by then has failed. */
const MOST_MS = 30_000

interface List {
  page: Page
  /** Milliseconds from an act in the page to a list that has changed and shows all its rows. */
  time(act: () => Promise<unknown>): Promise<number>
}

const stage = await openStage({ devices, services: 4, profile: undefined })
let browser: Browser | undefined
try {
  browser = await chromium.launch(chromiumOptions)
  const list = await openList(browser)
  console.table(await measureActs(list))
  console.table(await measureLive(list.page))
} finally {
  await browser?.close()
  await stage.close()
}

/** The list of devices, signed in as the owner, as it stands once its first rows are there. */
async function openList(browser: Browser): Promise<List> {
  const { url } = await stage.program('server')
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const answer = await page.request.post(`${url}/auth/sign-in/email`, {
    headers: { 'muster-session': '1', origin: url },
    data: await readPerson(stage),
  })
  if (!answer.ok()) throw new Error(`signing in failed: ${answer.status()}`)
  await page.addInitScript({ path: fileURLToPath(new URL('in-page.js', import.meta.url)) })
  await page.goto(`${url}/devices`)
  await page.evaluate(`measure.untilShown(${MOST_MS})`)
  return {
    page,
    async time(act) {
      await page.evaluate('measure.begin()')
      await act()
      return page.evaluate<number>(`measure.untilShown(${MOST_MS})`)
    },
  }
}

async function readPerson({ database }: Stage): Promise<{ email: string; password: string }> {
  const text = await readFile(join(database.folder, 'server', 'credentials'), 'utf8')
  const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return { email: read('MUSTER_EMAIL'), password: read('MUSTER_PASSWORD') }
}

async function measureActs({ page, time }: List): Promise<Record<string, object>> {
  const head = (name: string) => page.getByTitle(`Sort by ${name}`, { exact: true })
  const scrollTo = (row: number) =>
    page
      .getByRole('table', { name: 'Devices' })
      .evaluate((element, top) => element.scrollTo({ top, behavior: 'instant' }), row * ROW)
  const acts: Record<string, (round: number) => Promise<unknown>> = {
    'scroll a page': (round) => scrollTo(20 * (round + 1)),
    'scroll anywhere': (round) => scrollTo(Math.floor(devices * ((round * 0.37 + 0.2) % 1))),
    'sort by state': () => head('State').click(),
    'sort by created': () => head('Created').click(),
    'sort by name': () => head('Name').click(),
    'sort by Status A': () => head('Status A').click(),
    'filter by part of the name': (round) =>
      page.getByLabel('Part of the name').fill(round % 2 === 0 ? '' : `${round}4`),
  }
  const figures: Record<string, object> = {}
  for (const [name, act] of Object.entries(acts)) {
    const taken: number[] = []
    for (let round = 0; round < times; round++) {
      taken.push(await time(() => act(round + 1)))
      await sleep(300)
    }
    await page.getByLabel('Part of the name').fill('')
    await scrollTo(0)
    await sleep(1_000)
    figures[name] = {
      'median ms': Math.round(percentile(taken, 0.5)),
      'most ms': Math.round(Math.max(...taken)),
    }
  }
  return figures
}

/** Changes of devices in view, so many a second, and how the page holds up. */
async function measureLive(page: Page): Promise<Record<string, unknown>> {
  const { url } = await stage.program('server')
  const ask = (text: string) => send(url, toRequest(url, graphql('server', text), stage.accessKey))
  const answer = (await ask('{ login { devices(size: 100) { items { id } } } }')) as {
    data: { login: { devices: { items: { id: string }[] } } }
  }
  const ids = answer.data.login.devices.items.map(({ id }) => id)
  const frames = page.evaluate<{ gaps: number[]; longTasks: number }>(`measure.frames(${seconds * 1_000})`)
  let sent = 0
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const began = performance.now()
    const batch = Array.from({ length: changesPerSecond / 10 }, () => ids[sent++ % ids.length])
    await Promise.all(
      batch.map((id, index) =>
        ask(`mutation { setAttribute(serviceId: "${id}", name: "$svc.statusA", value: "at ${sent + index}") }`),
      ),
    )
    await sleep(Math.max(0, 100 - (performance.now() - began)))
  }
  const { gaps, longTasks } = await frames
  return {
    'changes a second': Math.round(sent / seconds),
    'frames a second': Math.round(gaps.length / seconds),
    'p99 ms between frames': Math.round(percentile(gaps, 0.99)),
    'longest ms between frames': Math.round(Math.max(...gaps)),
    'tasks of more than 50 ms': longTasks,
  }
}
