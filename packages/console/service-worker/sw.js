// Never caches responses of the API or of sign-in. The build sets the two constants: see build/service-worker.ts.
const VERSION = '__VERSION__'
const SHELL = '__SHELL__'

const SHELL_CACHE = `muster-shell-${VERSION}`
const ASSET_CACHE = 'muster-assets'
const OFFLINE = '/offline.html'

/** A proxy returns these statuses while it cannot reach the server. */
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
})

/** Always requests pages from the server. */
async function openPage(request) {
  try {
    const response = await fetch(request)
    return UNREACHABLE.includes(response.status) ? await offlinePage() : response
  } catch {
    return offlinePage()
  }
}

const offlinePage = async () => (await caches.match(OFFLINE)) ?? Response.error()

/** A cached asset is never outdated, because its name contains a hash of its content. */
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

/** Fetches a file without a hash in its name, such as an icon, because a cached copy may be outdated. */
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
