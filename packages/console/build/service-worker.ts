import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { filesOf } from './files-of.ts'

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
      const shell = [...publicFiles, ...filesOf(bundle, '/index.html').sort()]
      const source = (await readFile(template, 'utf8'))
        .replace("'__VERSION__'", `'${await versionOf(shell)}'`)
        .replace("'__SHELL__'", JSON.stringify(shell))
      this.emitFile({ type: 'asset', fileName: 'sw.js', source })
    },
  }
}

/** The name of each asset contains a hash of its content, so only the content of the other files is hashed. */
async function versionOf(shell: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(shell.join('\n'))
  for (const path of publicFiles) hash.update(await readFile(new URL(`.${path}`, publicFolder)))
  hash.update(await readFile(template))
  return hash.digest('hex').slice(0, 12)
}
