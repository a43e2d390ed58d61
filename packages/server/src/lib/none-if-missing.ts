/** Pass this function to `catch` after `readdir`. Returns an empty list if the folder does not exist. */
export function noneIfMissing(error: unknown): never[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
  throw error
}
