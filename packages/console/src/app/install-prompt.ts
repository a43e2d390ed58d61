import { useSyncExternalStore } from 'react'
import { createSignal } from '../hooks/signal.ts'

/** No standard defines this Chromium event, so TypeScript does not include its type. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>
}

let prompt: InstallPromptEvent | undefined
const changes = createSignal()

function set(event: InstallPromptEvent | undefined): void {
  prompt = event
  changes.announce()
}

/** Call this function early, because the browser may fire `beforeinstallprompt` before the first page appears. */
export function listenForInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    set(event as InstallPromptEvent)
  })
  window.addEventListener('appinstalled', () => set(undefined))
}

/**
 * Returns a function that opens the browser's install prompt. Returns undefined until the browser offers a prompt, and
 * again after the prompt was opened or the console was installed.
 */
export function useInstall(): (() => void) | undefined {
  const event = useSyncExternalStore(changes.listen, () => prompt)
  if (event === undefined) return undefined
  return () => {
    // Discard the event, because the browser shows the prompt of an event only once.
    set(undefined)
    void event.prompt()
  }
}
