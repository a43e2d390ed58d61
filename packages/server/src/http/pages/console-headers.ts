export type ConsolePage = 'index.html' | 'overview.html' | 'doc.html'

/** The policy allows inline styles, because the console's components insert `<style>` elements at run time. */
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

/** The API reference also needs WebAssembly to lay out the schema diagram, and blobs for the editor's workers. */
const docPolicy = { ...policy, 'script-src': "'self' 'wasm-unsafe-eval'", 'worker-src': "'self' blob:" }

const serialize = (directives: Record<string, string>): string =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const policies: Readonly<Record<ConsolePage, string>> = {
  'index.html': serialize(policy),
  'overview.html': serialize(policy),
  'doc.html': serialize(docPolicy),
}

/** Scripts need these headers too, because a worker is subject to the policy in the headers of its script. */
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
