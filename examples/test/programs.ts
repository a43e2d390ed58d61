import { execFileSync } from 'node:child_process'

/**
 * Always returns true if CI is set, because `.ci/run` installs the programs, and the tests for a missing program must
 * fail there.
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
