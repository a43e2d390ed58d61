import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(html|js|css|svg|json|webmanifest|map|wasm|txt)$/
/** Below this, an answer is one packet either way. */
const SMALLEST = 1024

/** Of 11. The next step takes eight times as long, for seven bytes in a hundred. */
const QUALITY = 9

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Writes `.br` and `.gz` beside each file of the build, so that the server compresses nothing itself. */
export function compressBuild(): Plugin {
  let folder = ''
  return {
    name: 'muster:compress-build',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async closeBundle(error?: Error) {
      if (error === undefined) await compressFolder(folder)
    },
  }
}

async function compressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
  // Node compresses a few files at a time, in its thread pool.
  await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))))
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < SMALLEST) return
  const [brotli, gzipped] = await Promise.all([
    toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
    toGzip(content, { level: 9 }),
  ])
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)])
}
