import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../server/test/harness/app.ts'
import * as client from '../src/node.ts'
import { createProject, type Project, root, strictSettings } from './project.ts'
import { readExamples, readPages, withCredentials } from './readme-examples.ts'

const examples = readExamples()

const app = sharedTestApp()
let project: Project
beforeAll(async () => {
  project = await createProject({ linked: true })
})
afterAll(() => project.remove())

describe('the examples in the README and the pages', () => {
  it('include more than 12 programs', () => {
    expect(examples.length).toBeGreaterThan(12)
  })

  it('are on pages that mention everything that the client exports', () => {
    const text = readPages()
    const names = Object.keys(client)
    expect(names).toContain('readCredentials')
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })

  it.each(examples.map((example) => [example.name, example] as const))(
    'run without errors: %s',
    async (_name, { code, prints }) => {
      const user = { url: app.url, ...(await app.createUser()) }
      const number = examples.findIndex((example) => example.code === code)
      const file = await project.write(`example-${number}.ts`, withCredentials(code, user))
      const ran = await project.run(process.execPath, [file], {
        MUSTER_URL: app.url,
        MUSTER_ACCESS_KEY_ID: user.keyId,
        MUSTER_SECRET_ACCESS_KEY: user.secret,
      })
      expect(ran.stderr).toBe('')
      expect(ran.code).toBe(0)
      for (const printed of prints) expect(ran.stdout).toContain(`${printed}\n`)
    },
  )

  it('compile without type errors', async () => {
    const checked = await createProject({ linked: true })
    await checked.write('tsconfig.json', strictSettings(['es2024', 'esnext'], ['node']))
    for (const [number, { code }] of examples.entries()) await checked.write(`example-${number}.ts`, code)
    const ran = await checked.run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--skipLibCheck'])
    expect(ran.stdout).toBe('')
    expect(ran.code).toBe(0)
    await checked.remove()
  })
})
