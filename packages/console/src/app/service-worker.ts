/** Registers the service worker, except in `vite dev`, which has none. */
export function registerServiceWorker(): void {
  // Browsers support service workers only in secure contexts, which require HTTPS or localhost.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  window.addEventListener('load', () => {
    navigator.serviceWorker
      .register('/sw.js')
      .catch((error) => console.warn('The service worker could not be registered:', error))
  })
}
