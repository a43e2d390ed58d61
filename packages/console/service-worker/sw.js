// This service worker never caches responses from the API or from sign-in. build/service-worker.ts sets the two
// constants below.
const VERSION = '__VERSION__'
const SHELL = '__SHELL__'

const SHELL_CACHE = `muster-shell-${VERSION}`
const ASSET_CACHE = 'muster-assets'
const OFFLINE = '/offline.html'

/** HTTP status codes with which a proxy reports that it cannot reach the server. */
const UNREACHABLE = [502, 504]

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(SHELL_CACHE)
      .then((cache) => cache.addAll(SHELL.map(requestFor)))
      .then(() => self.skipWaiting()),
  )
})

/**
 * Returns the request that fetches a file. Bypasses the browser's cache, except for files with a hash in their names,
 * which the browser may have cached when it loaded the page.
 */
const requestFor = (path) => (path.startsWith('/assets/') ? path : new Request(path, { cache: 'reload' }))

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([preloadPages(), dropOldCaches()]).then(() => self.clients.claim()))
})

/** Makes the browser request a page while the service worker is starting. */
const preloadPages = async () => self.registration.navigationPreload?.enable()

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (request.mode === 'navigate') event.respondWith(openPage(event))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(getAsset(event))
  else if (SHELL.includes(url.pathname)) event.respondWith(getShellFile(request))
})

async function openPage({ request, preloadResponse }) {
  try {
    const response = (await preloadResponse) ?? (await fetch(request))
    return UNREACHABLE.includes(response.status) ? await offlinePage() : response
  } catch {
    return offlinePage()
  }
}

const offlinePage = async () => (await caches.match(OFFLINE)) ?? Response.error()

/** A cached asset is never outdated, because its name contains a hash. */
async function getAsset(event) {
  const { request } = event
  const cached = await caches.match(request)
  if (cached !== undefined) return cached
  const response = await fetch(request)
  // Return the file before it is cached, so that the page does not wait.
  if (response.ok) event.waitUntil(cacheAsset(request, response.clone()))
  return response
}

const cacheAsset = async (request, response) => (await caches.open(ASSET_CACHE)).put(request, response)

/**
 * Fetches a file without a hash in its name, such as an icon, because a cached copy may be outdated. If the fetch
 * fails, returns the cached copy.
 */
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
