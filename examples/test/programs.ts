import { execFileSync } from 'node:child_process'

/**
 * Whether a program is installed. Returns true if CI is set: `.ci/run` installs the programs, and if one is missing, its
 * tests must fail instead of being skipped.
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
