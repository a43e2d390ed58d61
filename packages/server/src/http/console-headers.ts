/** The two documents of the console's build. */
export type ConsolePage = 'index.html' | 'doc.html'

/**
 * Nothing from other hosts, no inline script, in nobody's frame. Styles may stand in the page: the components set them on
 * elements while it runs.
 */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** The schema diagram is laid out by WebAssembly, in a worker that the page makes from a blob; so are the editor's. */
const docPolicy = {
  ...policy,
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self' blob:",
}

const text = (directives: Record<string, string>): string =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const policies: Readonly<Record<ConsolePage, string>> = { 'index.html': text(policy), 'doc.html': text(docPolicy) }

/** What goes with a page and with what it loads; a script that runs as a worker goes by the policy it came with. */
export const consoleHeaders = (page: ConsolePage): Record<string, string> => ({
  'content-security-policy': policies[page],
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
  vary: 'accept-encoding',
})
