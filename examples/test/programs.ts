import { execFileSync } from 'node:child_process'

/**
 * Returns whether the tests that need a program should run. Always returns true if CI is set, because `.ci/run`
 * installs the programs, and tests must fail there if a program is missing.
 */
export const hasProgram = (name: string): boolean => Boolean(process.env.CI) || isInstalled(name)

export function isInstalled(name: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
