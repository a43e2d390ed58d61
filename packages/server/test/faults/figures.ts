import { appendFileSync } from 'node:fs'

/** Of a run by hand: `run.ts` names the file, and makes a table of what is in it at the end. */
export function figures(of: string, found: Readonly<Record<string, number | string>>): void {
  const path = process.env.FAULTS_FIGURES
  if (path === undefined) return
  for (const [what, value] of Object.entries(found)) appendFileSync(path, `| ${of} | ${what} | ${value} |\n`)
}
