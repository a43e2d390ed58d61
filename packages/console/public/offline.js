// This script polls /healthz. When the server responds with success, the script opens the page that the user requested.
;(() => {
  const INTERVAL_MS = 3000
  const state = document.getElementById('state')
  document.getElementById('address').textContent = location.origin

  async function check() {
    try {
      const response = await fetch('/healthz', { cache: 'no-store' })
      if (response.ok) return location.reload()
      state.textContent = `The server is not ready yet. Last checked at ${new Date().toLocaleTimeString()}.`
    } catch {
      state.textContent = `No response yet. Last checked at ${new Date().toLocaleTimeString()}.`
    }
  }

  setInterval(check, INTERVAL_MS)
  addEventListener('online', check)
  document.getElementById('retry').addEventListener('click', check)
})()
