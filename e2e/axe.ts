import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// The package's AxeBuilder would load axe-core and open another page for each check.
const { resolve } = createRequire(import.meta.resolve('@axe-core/playwright'))
const axeSource = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the serious and critical accessibility violations of a page, one line each. */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axeSource)
  const options = JSON.stringify({
    resultTypes: ['violations'],
    preload: false,
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  })
  const violations = await page.evaluate<Violation[]>(`${waitForAnimations}
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

/** Text has a different contrast while it fades. */
const waitForAnimations = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished)
)`

/** Checks the page in both color schemes. Only the results of color rules can differ in the dark scheme. */
export async function findViolationsInBothSchemes(page: Page): Promise<string[]> {
  const violations = await findViolations(page)
  await changeColorScheme(page, 'dark')
  violations.push(...(await findViolations(page, ['color-contrast', 'link-in-text-block'])))
  await changeColorScheme(page, 'light')
  return violations
}

async function changeColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
}
