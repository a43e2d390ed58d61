// `npm run generate` updates stale generated files. With --check, it writes nothing and fails if a file is stale.
import { readFile, writeFile } from 'node:fs/promises'
import { generatedFiles } from './generated-files.ts'

const root = new URL('../', import.meta.url)
const check = process.argv.includes('--check')
const stale: string[] = []

for (const [path, text] of await generatedFiles()) {
  const file = new URL(path, root)
  const present = await readFile(file, 'utf8').catch(() => undefined)
  if (present === text) continue
  stale.push(path)
  if (!check) await writeFile(file, text)
}

for (const path of stale) console.log(check ? `stale: ${path}` : `written: ${path}`)
if (check && stale.length > 0) {
  console.error('Generated files are stale. Run `npm run generate` and commit the changes.')
  process.exitCode = 1
}
