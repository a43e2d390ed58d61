import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// Load axe-core directly, because the package's AxeBuilder loads it again and opens another page for each check.
const { resolve } = createRequire(import.meta.resolve('@axe-core/playwright'))
const axeSource = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

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
    .map((violation) => (violation.id === 'region' ? withoutTooltips(violation) : violation))
    .filter(({ at }) => at.length > 0)
    .map(({ id, impact, at }) => `${new URL(page.url()).pathname}: ${id} (${impact}) at ${at.join(' ')}`)
}

/**
 * Removes tooltips from a violation of the rule `region`. Tooltips describe elements in landmarks, but are at the end
 * of the document, outside the landmarks.
 */
const withoutTooltips = (violation: Violation): Violation => ({
  ...violation,
  at: violation.at.filter((html) => !/^<[^>]* role="tooltip"/.test(html)),
})

interface Violation {
  id: string
  impact: string
  at: string[]
}

/** Waits for animations to end, because fading changes the contrast of text. */
const waitForAnimations = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished)
)`

/** For each color scheme, a selector that matches only while a page of the console has this color scheme. */
const consoleSchemes = {
  light: 'html[data-mantine-color-scheme=light]',
  dark: 'html[data-mantine-color-scheme=dark]',
}

/** In the dark scheme, checks only the rules about color, because other results cannot differ. */
export async function findViolationsInBothSchemes(page: Page, schemes = consoleSchemes): Promise<string[]> {
  const violations = await findViolations(page)
  await changeColorScheme(page, 'dark', schemes)
  violations.push(...(await findViolations(page, ['color-contrast', 'link-in-text-block'])))
  await changeColorScheme(page, 'light', schemes)
  return violations
}

async function changeColorScheme(
  page: Page,
  colorScheme: 'light' | 'dark',
  schemes: typeof consoleSchemes,
): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(schemes[colorScheme]).waitFor({ state: 'attached' })
}
