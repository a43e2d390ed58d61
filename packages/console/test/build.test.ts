import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'

/** Maximum total size of the compressed scripts of sign-in and the device list, without scripts that load later. */
const FIRST_LOAD_BYTES = 250_000

/** The build that npm creates when it installs the dependencies, and that the server serves. */
const folder = fileURLToPath(new URL('../dist/', import.meta.url))

interface ManifestEntry {
  file: string
  css?: string[]
  imports?: string[]
}

let manifest: Record<string, ManifestEntry>

beforeAll(async () => {
  try {
    manifest = JSON.parse(await text('.vite/manifest.json'))
  } catch (error) {
    throw new Error('the console is not built: run npm run build', { cause: error })
  }
})

const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')

function filesOf(modules: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of modules) {
    const entry = manifest[name]
    if (entry === undefined) throw new Error(`manifest.json has no entry for ${name}`)
    if (found.has(entry.file)) continue
    found.add(entry.file)
    filesOf(entry.imports ?? [], found)
  }
  return found
}

const compressedBytes = async (name: string): Promise<number> => {
  const compressed = await stat(join(folder, `${name}.gz`)).catch(() => stat(join(folder, name)))
  return compressed.size
}

test('loads less than 250 KB of compressed scripts for sign-in and the device list', async () => {
  const pages = ['src/features/sign-in/sign-in-page.tsx', 'src/features/devices/devices-page.tsx']
  const sizes = await Promise.all(Array.from(filesOf(['index.html', ...pages]), compressedBytes))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BYTES)
})

test('builds pages without inline scripts or links to other hosts', async () => {
  for (const name of ['index.html', 'overview.html', 'doc.html', 'offline.html']) {
    const html = await text(name)
    expect(html.match(/<script(?![^>]*\bsrc=)[^>]*>/g), name).toBeNull()
    expect(html.match(/(?:src|href)="(?:https?:)?\/\//g), name).toBeNull()
  }
})

test('preloads the code of the overview in its HTML document', async () => {
  const pages = ['src/features/overview/overview-page.tsx', 'src/features/overview/presence-chart.tsx']
  const html = await text('overview.html')
  const scripts = [...filesOf(['index.html', ...pages])]
  const styles = Object.values(manifest).flatMap(({ file, css = [] }) => (scripts.includes(file) ? css : []))
  expect(styles).not.toEqual([])
  expect([...scripts, ...styles].filter((file) => !html.includes(`"/${file}"`))).toEqual([])
})

test('compresses a script without changing its content', async () => {
  const names = await readdir(join(folder, 'assets'))
  const script = names.find((name) => /^index-.*\.js$/.test(name))
  if (script === undefined) throw new Error('assets/ contains no script index-*.js')
  const plain = await readFile(join(folder, 'assets', script))
  expect(brotliDecompressSync(await readFile(join(folder, 'assets', `${script}.br`))).equals(plain)).toBe(true)
  expect(gunzipSync(await readFile(join(folder, 'assets', `${script}.gz`))).equals(plain)).toBe(true)
})

test('lists only existing files in the service worker, including all assets that index.html loads', async () => {
  const worker = await text('sw.js')
  const shell: string[] = JSON.parse(/const SHELL = (\[.*\])/.exec(worker)?.[1] ?? '[]')
  const files = await Promise.all(shell.map((path) => stat(join(folder, path))))
  expect(files.every((file) => file.isFile())).toBe(true)
  const loaded = Array.from(
    (await text('index.html')).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g),
    ([, path]) => path,
  )
  expect(loaded.length).toBeGreaterThan(0)
  expect(shell).toEqual(expect.arrayContaining(loaded))
})

test('lists existing icons in the manifest, with the sizes that an installed app needs', async () => {
  const { icons, start_url: start } = JSON.parse(await text('manifest.webmanifest'))
  const sizes = await Promise.all(
    icons.map(async ({ src, type, sizes: declared, purpose }: Record<string, string>) => {
      const image = await readFile(join(folder, src ?? ''))
      if (type !== 'image/png') return undefined
      expect(`${image.readUInt32BE(16)}x${image.readUInt32BE(20)}`).toBe(declared)
      return `${declared} ${purpose}`
    }),
  )
  expect(sizes).toEqual(expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']))
  expect(start).toMatch(/^\//)
})
