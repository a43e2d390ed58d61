import { execFileSync } from 'node:child_process'

/**
 * Whether a program is on this machine. Under CI it is taken to be: `.ci/run` installs what tests need, and a test whose
 * program is missing there fails instead of being left out.
 */
export const hasProgram = (name: string): boolean => Boolean(process.env.CI) || isThere(name)

export function isThere(name: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
