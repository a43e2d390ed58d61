export interface Canaries {
  add(kind: string, secret: string): string
  foundIn(text: string): string[]
  names(): string[]
  count(): { secrets: number; forms: number }
}

/** The minimum length of a secret. Shorter strings could occur in the output by chance. */
const MIN_CHARACTERS = 8

export function createCanaries(): Canaries {
  const forms = new Map<string, string>()
  const names = new Set<string>()
  const secrets = new Set<string>()
  return {
    add(kind, secret) {
      if (secret.length < MIN_CHARACTERS)
        throw new Error(`${kind} must have at least ${MIN_CHARACTERS} characters, found ${secret.length}`)
      names.add(kind)
      secrets.add(secret)
      for (const [form, text] of formsOf(secret)) {
        if (!forms.has(text)) forms.set(text, `${kind} (${form})`)
      }
      return secret
    },
    foundIn(text) {
      const lowerCase = text.toLowerCase()
      return [...forms].flatMap(([form, description]) =>
        text.includes(form) || (description.includes('hex') && lowerCase.includes(form)) ? [description] : [],
      )
    },
    names: () => [...names],
    count: () => ({ secrets: secrets.size, forms: forms.size }),
  }
}

/**
 * Returns a secret's forms: unchanged, without its prefix, and in other encodings of its characters and of the bytes
 * that it encodes.
 */
function formsOf(secret: string): [form: string, text: string][] {
  const withoutPrefix = secret.replace(/^whsec_/, '')
  const bytes = Buffer.from(withoutPrefix, 'base64')
  return [
    ['unchanged', secret],
    ['without prefix', withoutPrefix],
    ['percent-encoded', encodeURIComponent(secret)],
    ['hex', Buffer.from(secret).toString('hex')],
    ['hex of its bytes', bytes.toString('hex')],
    ['base64url of its bytes', bytes.toString('base64url')],
    ...inBase64(secret),
  ]
}

/** Encodes a secret in base64 at each alignment, without the characters that depend on adjacent bytes. */
function inBase64(secret: string): [form: string, text: string][] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]).toString('base64')
    const from = before === 0 ? 0 : before + 1
    const end = Math.floor(((before + Buffer.byteLength(secret)) * 8) / 6)
    return [`base64 at ${before}`, text.slice(from, end)]
  })
}
