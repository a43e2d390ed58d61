import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumOptions } from '../../../e2e/chromium.ts'
import { buildLibrary } from '../../../scripts/release/build-library.ts'
import { sharedTestApp } from '../../server/test/harness/app.ts'
import { servePage } from './page-server.ts'
import { createProject, type Project, root, strictSettings } from './project.ts'
import { readExamples, withCredentials } from './readme-examples.ts'

const app = sharedTestApp()
let project: Project
let packed: string[]
beforeAll(async () => {
  project = await createProject({ linked: false })
  const dist = join(project.folder, 'package')
  await buildLibrary('client', dist)
  const { stdout, stderr } = await project.run('npm', ['pack', dist, '--json'])
  const [{ filename, files }] = JSON.parse(stdout || stderr) as [{ filename: string; files: { path: string }[] }]
  packed = files.map(({ path }) => path)
  const installed = await project.run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`])
  if (installed.code !== 0) throw new Error(installed.stderr)
}, 600_000)
afterAll(() => project.remove())

describe('the package', () => {
  it('has no dependencies', async () => {
    expect(await readdir(join(project.folder, 'node_modules'))).toContain('@muster')
    expect(await readdir(join(project.folder, 'node_modules/@muster'))).toEqual(['client'])
    expect(packed).toEqual(
      expect.arrayContaining([
        'README.md',
        'docs/errors-and-retries.md',
        'index.js',
        'node.js',
        'types/index.d.ts',
        'LICENSE-structured-headers',
      ]),
    )
    expect(packed.filter((path) => !/\.js$|\.d\.ts$|^[^/]+$|^docs\/[^/]+\.md$/.test(path))).toEqual([])
    for (const path of packed.filter((name) => /\.(js|ts)$/.test(name))) {
      const text = await readFile(join(project.folder, 'node_modules/@muster/client', path), 'utf8')
      const foreign = Array.from(text.matchAll(/\bfrom ["']([^."'][^"']*)["']/g), ([, name]) => name)
      expect(
        foreign.filter((name) => !/^node\.js$|^node\//.test(path) || !name?.startsWith('node:')),
        path,
      ).toEqual([])
    }
  })

  it.each([0, 1, 3])('runs the README example %s', async (number) => {
    const user = { url: app.url, ...(await app.createUser()) }
    const file = await project.write(`example-${number}.ts`, withCredentials(readExamples()[number]!.code, user))
    const ran = await project.run(process.execPath, [file], {
      MUSTER_URL: app.url,
      MUSTER_ACCESS_KEY_ID: user.keyId,
      MUSTER_SECRET_ACCESS_KEY: user.secret,
    })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })

  it('has types that compile without the Node.js types', async () => {
    await project.write('types/tsconfig.json', strictSettings(['es2024', 'dom', 'dom.iterable', 'dom.asynciterable']))
    const text = `import { Muster, verifyWebhook } from '@muster/client'
      export async function run(headers: Headers): Promise<string> {
        const muster = new Muster({ url: 'x', keyId: 'k', secret: 's' })
        for await (const { name } of muster.devices({ select: { name: true } })) return name
        // @ts-expect-error unknown field
        await muster.select({ login: { emial: true } })
        return (await verifyWebhook(headers, '', '')).type
      }`
    await project.write('types/page.ts', text)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const ran = await project.run(process.execPath, [compiler, '--project', 'types'])
    expect(ran.stdout).toBe('')
    expect(ran.code).toBe(0)
  })

  async function bundle(name: string, text: string): Promise<string> {
    await project.write(`${name}.js`, text)
    const outDir = join(project.folder, `bundle-${name}`)
    const input = join(project.folder, `${name}.js`)
    await build({
      root: project.folder,
      configFile: false,
      logLevel: 'silent',
      build: { outDir, target: 'es2022', rolldownOptions: { input, output: { entryFileNames: 'bundle.js' } } },
    })
    return readFile(join(outDir, 'bundle.js'), 'utf8')
  }

  it('bundles for a page without Node.js modules and without unused parts', async () => {
    const all = await bundle(
      'all',
      "import { Muster } from '@muster/client'; window.muster = new Muster(window.options)",
    )
    expect(all).not.toMatch(/node:|require\(/)
    expect(all).toContain('Signature-Input')
    const part = await bundle('part', "import { verifyWebhook } from '@muster/client'; window.verify = verifyWebhook")
    expect(part).toContain('webhook-signature')
    expect(part).not.toContain('setAttributesMany')
    expect(part.length).toBeLessThan(all.length / 8)
  })

  it('signs, queries, mutates, and follows events in a browser', async () => {
    const { keyId, secret } = await app.createUser()
    const script = await bundle(
      'page',
      `import { generateKeyPair, Muster } from '@muster/client'
      async function run() {
        const muster = new Muster({ url: location.origin, keyId: '${keyId}', secret: '${secret}' })
        const onConnect = () => muster.mutations.registerDevice({ name: 'pumpe è' })
        for await (const { target } of muster.events({ types: ['DEVICE_REGISTER'], onConnect })) {
          const { publicKey, privateKey } = await generateKeyPair()
          const { key } = await muster.mutations.createAccessKey({ publicKey })
          const other = new Muster({ url: location.origin, keyId: key, privateKey })
          return [target[0].name, await other.devices({ select: { name: true } }).toArray()]
        }
      }
      run().then(JSON.stringify, String).then((text) => { document.title = text })`,
    )
    const site = await servePage(script, app.url)
    onTestFinished(site.close)
    const browser = await chromium.launch(chromiumOptions)
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    // The test timeout limits the wait.
    page.setDefaultTimeout(0)
    await page.goto(site.url)
    await page.waitForFunction("document.title !== ''")
    expect(JSON.parse(await page.title())).toEqual(['pumpe è', [{ name: 'pumpe è' }]])
  })
})
