import type { Installation } from './migrate-and-set-up.ts'

/** Runs `work` on an existing installation. Loads the server's code only when a command calls this function. */
export async function useInstallation<Result>(work: (installation: Installation) => Promise<Result>): Promise<Result> {
  const { withInstallation } = await import('./migrate-and-set-up.ts')
  return withInstallation(work, { mustExist: true })
}
