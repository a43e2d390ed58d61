// Caches the console's files, so that the console opens immediately, and shows an offline page while the server is unreachable.
// It never caches responses of the API or of sign-in. The build sets the two constants: see build/service-worker.ts.
const VERSION = '__VERSION__'
const SHELL = '__SHELL__'

const SHELL_CACHE = `muster-shell-${VERSION}`
const ASSET_CACHE = 'muster-assets'
const OFFLINE = '/offline.html'

/** The statuses that a proxy returns while the server behind it cannot be reached. */
const UNREACHABLE = [502, 504]

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
  else if (url.pathname.startsWith('/assets/')) event.respondWith(getAsset(request))
  else if (SHELL.includes(url.pathname)) event.respondWith(getShellFile(request))
  // The browser sends all other requests as usual, such as those to the API and to sign-in.
})

/** Pages always come from the server. If it cannot be reached, the offline page is shown. */
async function openPage(request) {
  try {
    const response = await fetch(request)
    return UNREACHABLE.includes(response.status) ? await offlinePage() : response
  } catch {
    return offlinePage()
  }
}

const offlinePage = async () => (await caches.match(OFFLINE)) ?? Response.error()

/** Names of assets contain a hash of their content, so a cached asset is never outdated. */
async function getAsset(request) {
  const cached = await caches.match(request)
  if (cached !== undefined) return cached
  const response = await fetch(request)
  if (response.ok) {
    const cache = await caches.open(ASSET_CACHE)
    await cache.put(request, response.clone())
  }
  return response
}

/** Names of icons and similar files do not change with their content, so the server's version comes first. */
async function getShellFile(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const cached = await caches.match(request)
    if (cached === undefined) throw error
    return cached
  }
}

async function dropOldCaches() {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith('muster-') && name !== SHELL_CACHE)
  await Promise.all(old.map((name) => caches.delete(name)))
}
