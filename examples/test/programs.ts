import { execFileSync } from 'node:child_process'

/**
 * Whether a program is on this machine. Under CI it is taken to be: `.ci/run` installs what tests need, and a test whose
 * program is missing there fails instead of being left out.
 */
export function hasProgram(name: string): boolean {
  if (process.env.CI) return true
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
