import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// The builder of this package would load the checker for each look anew, and a page of its own beside it.
const { resolve } = createRequire(import.meta.resolve('@axe-core/playwright'))
const checker = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

/** What keeps people from using a page, in one line each. */
export async function findingsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(checker)
  const options = JSON.stringify({
    resultTypes: ['violations'],
    preload: false,
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  })
  const violations = await page.evaluate<Violation[]>(`${untilNothingFades}
    .then(() => axe.run(${options}))
    .then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, at: nodes.map(({ html }) => html) })))`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, at }) => `${new URL(page.url()).pathname}: ${id} at ${at.join(' ')}`)
}

interface Violation {
  id: string
  impact: string
  at: string[]
}

/** Half faded, text has another contrast. */
const untilNothingFades = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished)
)`

/** The same in light and in dark, where a page differs by its colours alone. */
export async function findingsInBothColours(page: Page): Promise<string[]> {
  const findings = await findingsOf(page)
  await changeColours(page, 'dark')
  findings.push(...(await findingsOf(page, ['color-contrast', 'link-in-text-block'])))
  await changeColours(page, 'light')
  return findings
}

async function changeColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
}
