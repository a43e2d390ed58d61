// Asks whether the server is back, and opens the page that was wanted once it is.
;(() => {
  const EVERY_MS = 3000
  const state = document.getElementById('state')
  document.getElementById('address').textContent = location.origin

  async function look() {
    try {
      const answer = await fetch('/healthz', { cache: 'no-store' })
      if (answer.ok) return location.reload()
      state.textContent = `It answers, and says that it is not ready yet. Last tried at ${new Date().toLocaleTimeString()}.`
    } catch {
      state.textContent = `No answer yet. Last tried at ${new Date().toLocaleTimeString()}.`
    }
  }

  setInterval(look, EVERY_MS)
  addEventListener('online', look)
  document.getElementById('again').addEventListener('click', look)
})()
