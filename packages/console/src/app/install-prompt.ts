import { useSyncExternalStore } from 'react'

/** What Chromium's browsers send when the console could be installed; it is in no standard, hence not in TypeScript. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>
}

let offered: InstallPromptEvent | undefined
const watchers = new Set<() => void>()

function set(event: InstallPromptEvent | undefined): void {
  offered = event
  for (const changed of watchers) changed()
}

/** Begins early: the browser says it once, perhaps before the first page is there. */
export function listenForInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    set(event as InstallPromptEvent)
  })
  window.addEventListener('appinstalled', () => set(undefined))
}

function watch(changed: () => void): () => void {
  watchers.add(changed)
  return () => watchers.delete(changed)
}

/** Asks the person whether to install; undefined where the browser does not offer it, or it is done. */
export function useInstall(): (() => void) | undefined {
  const event = useSyncExternalStore(watch, () => offered)
  if (event === undefined) return undefined
  return () => {
    // An offer can be used once.
    set(undefined)
    void event.prompt()
  }
}
