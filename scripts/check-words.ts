/**
 * `node scripts/check-words.ts` fails if a document, comment, message, or name contains a word in `words/word-list.ts`.
 * To quote such a word, add the comment `words: allow` to the line.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findWords } from './words/find-words.ts'

/**
 * Patterns of the paths to skip:
 *
 * - generated files, whose sources are checked
 * - the files of this check, which contain the words
 * - migrations, which are not edited after they are merged
 * - benchmark results
 */
const skipped = [/\.generated\./, /^scripts\/words\//, /^packages\/server\/migrations\//, /^benchmarks\/results\//]

const files = execFileSync(
  'git',
  ['ls-files', '*.md', '*.ts', '*.tsx', '*.mjs', '*.py', '*.go', '*.sh', '*.graphql', '*.yaml', '*.yml'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && existsSync(file))
  .filter((file) => !skipped.some((pattern) => pattern.test(file)))

const problems = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n')
  return findWords(text)
    .filter(({ line }) => !lines[line - 1]?.includes('words: allow'))
    .map(({ line, column, found, instead }) => `${file}:${line}:${column}: "${found}": write ${instead}`)
})

for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error(
    `${problems.length} ${problems.length === 1 ? 'word' : 'words'} to replace; see scripts/words/word-list.ts.`,
  )
  process.exitCode = 1
}
