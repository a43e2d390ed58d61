/** Notifies the shell that the session is no longer valid, from any code that detects it. */
const listeners = new Set<() => void>()

export const signedOut = {
  announce(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
