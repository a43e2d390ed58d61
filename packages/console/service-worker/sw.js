// Keeps what the console is made of, so that it opens at once, and shows a page of its own while the server is away. It never
// keeps an answer of the API or of sign-in. The build writes the two constants: see build/service-worker.ts.
const VERSION = '__VERSION__'
const SHELL = '__SHELL__'

const SHELL_CACHE = `muster-shell-${VERSION}`
const ASSET_CACHE = 'muster-assets'
const OFFLINE = '/offline.html'

/** What a proxy answers while the server behind it is away. */
const AWAY = [502, 504]

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(SHELL_CACHE)
      .then((cache) => cache.addAll(SHELL.map((path) => new Request(path, { cache: 'reload' }))))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(dropOldCaches().then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (request.mode === 'navigate') event.respondWith(openPage(request))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(takeAsset(request))
  else if (SHELL.includes(url.pathname)) event.respondWith(takeShellFile(request))
  // All else, the API and sign-in above all, goes its way as if this were not here.
})

/** The server decides what a page is; without it, the page that waits for it. */
async function openPage(request) {
  try {
    const answer = await fetch(request)
    return AWAY.includes(answer.status) ? await offlinePage() : answer
  } catch {
    return offlinePage()
  }
}

const offlinePage = async () => (await caches.match(OFFLINE)) ?? Response.error()

/** Their names change with what is in them: one that is here is the right one. */
async function takeAsset(request) {
  const kept = await caches.match(request)
  if (kept !== undefined) return kept
  const answer = await fetch(request)
  if (answer.ok) {
    const cache = await caches.open(ASSET_CACHE)
    await cache.put(request, answer.clone())
  }
  return answer
}

/** Icons and the like keep their names: the server's are newer. */
async function takeShellFile(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match(request)
    if (kept === undefined) throw error
    return kept
  }
}

async function dropOldCaches() {
  const names = await caches.keys()
  const mine = names.filter((name) => name.startsWith('muster-') && name !== SHELL_CACHE)
  await Promise.all(mine.map((name) => caches.delete(name)))
}
