/** `node scripts/check-links.ts` fails if a relative link in a Markdown file leads to a missing file or heading. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findDeadLinks } from './links/find-dead-links.ts'

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
const files = list.split('\n').filter((file) => file !== '' && existsSync(file))
const pages = new Map(
  files.filter((file) => file.endsWith('.md')).map((file) => [file, readFileSync(file, 'utf8')] as const),
)
const problems = findDeadLinks(pages, files)

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
