import { exitCodes } from '../errors/exit-codes.ts'
import { exitCodeOf, printFailure } from '../errors/failure.ts'
import { printJson, say } from '../output/print-result.ts'

interface Deleting {
  options: { json?: boolean }
  work: (id: string) => Promise<unknown>
  /** The word that is printed before each deleted object. */
  result?: 'Deleted' | 'Removed'
}

export async function deleteEach(
  ids: readonly string[],
  { options, work, result = 'Deleted' }: Deleting,
): Promise<void> {
  const deleted: string[] = []
  let failure: unknown
  for (const id of new Set(ids)) {
    try {
      await work(id)
      deleted.push(id)
      if (!options.json) await say(`${result} ${id}`)
    } catch (error) {
      failure = error
      printFailure(error, { json: options.json ?? false })
    }
  }
  if (options.json) await printJson({ deleted })
  if (failure !== undefined) process.exitCode = deleted.length > 0 ? exitCodes.partly : exitCodeOf(failure)
}
