import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { replacePrivateFile } from '@muster/server/lib/private-file.ts'
import { CliError, usageError } from '../errors/cli-error.ts'
import type { Plan } from './plan.ts'

const changesFolder = (env = process.env): string => join(env.HOME || homedir(), '.muster', 'changes')

export function newStateFile(given: string | undefined): string {
  if (given !== undefined) return resolve(given)
  // Include the milliseconds, so that the names sort by time.
  const now = new Date().toISOString().replace(/[:.Z]/g, '')
  return join(changesFolder(), `${now}-${process.pid}.json`)
}

export async function writeState(file: string, plan: Plan): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await replacePrivateFile(file, JSON.stringify(plan), 'root')
  } catch (error) {
    throw new CliError(`cannot write the state file ${file}: ${(error as Error).message}`, {
      hint: 'Check the permissions and the free space of the folder. "muster attributes set" and "muster attributes unset" accept another file with --state.',
    })
  }
}

export async function readState(file: string): Promise<Plan> {
  try {
    const plan = JSON.parse(await readFile(file, 'utf8')) as Plan
    if (typeof plan.userId === 'string' && typeof plan.changes === 'object' && typeof plan.targets === 'object')
      return plan
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as Error).message}`)
  }
  throw usageError(
    `${file} is not the state file of a bulk change`,
    'Pass the path that the interrupted or failed command printed.',
  )
}

export const removeState = (file: string): Promise<void> => rm(file, { force: true })

export async function listStates(): Promise<string[]> {
  const names = await readdir(changesFolder()).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(changesFolder(), name))
}
