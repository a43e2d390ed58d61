/** Makes the console installable, and gives it a page of its own while the server is away. Not in `vite dev`. */
export function registerServiceWorker(): void {
  // Browsers have them on secure origins only: https, and localhost.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').catch((error) => console.warn('no service worker:', error))
  })
}
