/** How long the page has to load its data, in milliseconds, before the service worker fetches files. */
const DELAY_MS = 3_000

/** Registers the service worker, except in `vite dev`, which has none. */
export function registerServiceWorker(): void {
  // Browsers support service workers only in secure contexts, which require HTTPS or localhost.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const register = (): void =>
    void navigator.serviceWorker
      .register('/sw.js')
      .catch((error) => console.warn('The service worker could not be registered:', error))
  window.addEventListener('load', () => setTimeout(register, DELAY_MS))
}
