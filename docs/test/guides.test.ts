import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hasProgram } from '../../examples/test/programs.ts'
import { blocksOf } from './blocks.ts'
import { runPage } from './run-page.ts'

const root = new URL('../../', import.meta.url).pathname
const guides = readdirSync(`${root}docs/guides`).filter((name) => name.endsWith('.md'))

/** A page can contain many commands, and the test must also pass on a slow machine. */
const pageTimeout = 600_000

/** Programs that pages use. npm does not install them; `.ci/run` does. */
const programs = ['curl', 'jq', 'mosquitto_pub', 'openssl', 'python3']

describe.each(['README.md', ...guides.map((name) => `docs/guides/${name}`)])('%s', (page) => {
  const text = readFileSync(`${root}${page}`, 'utf8')
  const found = tryBlocks(text)

  it('has no invalid code blocks', () => {
    expect(found.error).toBeUndefined()
  })

  const run = found.blocks.filter(({ use }) => use.kind !== 'shown' && use.kind !== 'norun')
  const missing = programs.filter((name) => run.some(({ text }) => text.includes(name)) && !hasProgram(name))
  const name = missing.length === 0 ? 'runs from top to bottom' : `is not run without ${missing}`
  if (run.length > 0) it.skipIf(missing.length > 0)(name, { timeout: pageTimeout }, () => runPage(run))

  for (const { line, use } of found.blocks) {
    if (use.kind === 'norun') it(`line ${line} is not run: ${use.reason}`, () => expect(use.reason).toMatch(/\w+ \w+/))
  }

  it('links only to existing files', () => {
    const targets = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '')
    const folder = new URL(page, `file://${root}`)
    const missing = targets.filter((target) => !existsSync(new URL(target, folder)))
    expect(missing).toEqual([])
  })
})

function tryBlocks(text: string): { blocks: ReturnType<typeof blocksOf>; error?: string } {
  try {
    return { blocks: blocksOf(text) }
  } catch (error) {
    return { blocks: [], error: (error as Error).message }
  }
}
