import { appendFileSync } from 'node:fs'

/** Records results of `npm run test:faults` in a file that `run.ts` specifies and prints as a table at the end. */
export function figures(test: string, results: Readonly<Record<string, number | string>>): void {
  const path = process.env.FAULTS_FIGURES
  if (path === undefined) return
  for (const [result, value] of Object.entries(results)) appendFileSync(path, `| ${test} | ${result} | ${value} |\n`)
}
