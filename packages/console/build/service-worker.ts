import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin, Rollup } from 'vite'

const template = new URL('../service-worker/sw.js', import.meta.url)
const publicFolder = new URL('../public/', import.meta.url)

/** The offline page and the files that it loads. */
const publicFiles = ['/offline.html', '/offline.js', '/color-scheme.js', '/icons/icon.svg']

export function serviceWorker(): Plugin {
  return {
    name: 'muster:service-worker',
    apply: 'build',
    async generateBundle(_options, bundle) {
      this.addWatchFile(fileURLToPath(template))
      const shell = [...publicFiles, ...entryFiles(bundle)]
      const source = (await readFile(template, 'utf8'))
        .replace("'__VERSION__'", `'${await versionOf(shell)}'`)
        .replace("'__SHELL__'", JSON.stringify(shell))
      this.emitFile({ type: 'asset', fileName: 'sw.js', source })
    },
  }
}

function entryFiles(bundle: Rollup.OutputBundle): string[] {
  const files = new Set<string>()
  const add = (name: string): void => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || files.has(name)) return
    files.add(name)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    for (const imported of chunk.imports) add(imported)
  }
  for (const [name, chunk] of Object.entries(bundle)) {
    if (chunk.type === 'chunk' && chunk.isEntry && chunk.facadeModuleId?.endsWith('/index.html')) add(name)
  }
  if (files.size === 0)
    throw new Error('the build has no entry for index.html: add index.html to the input in vite.config.ts')
  return Array.from(files, (name) => `/${name}`).sort()
}

/** The name of each asset contains a hash of its content, so only the content of the other files is hashed. */
async function versionOf(shell: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(shell.join('\n'))
  for (const path of publicFiles) hash.update(await readFile(new URL(`.${path}`, publicFolder)))
  hash.update(await readFile(template))
  return hash.digest('hex').slice(0, 12)
}
