import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(html|js|css|svg|json|webmanifest|map|wasm|txt)$/
/** The build does not compress smaller files, because they fit in one packet without compression. */
const MIN_BYTES = 1024

/** With quality 10, compression takes several times as long, and the files are hardly smaller. */
const BROTLI_QUALITY = 9

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Writes a `.br` and a `.gz` file for each file worth compressing, so that the server never compresses any files. */
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

export async function compressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
  // Start all compressions at once, because the thread pool of Node.js limits how many run at a time.
  await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))))
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  const [brotli, gzipped] = await Promise.all([
    toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    toGzip(content, { level: 9 }),
  ])
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)])
}
