/** Secrets that are followed through the server, by what they are. */
export interface Canaries {
  /** The same text is followed once. */
  add(what: string, secret: string): string
  /** What they are and in which form, of those that stand in the text. */
  foundIn(text: string): string[]
  names(): string[]
  /** How many there are, and in how many forms they are looked for. */
  count(): { secrets: number; forms: number }
}

/** Shorter texts turn up by chance. */
const LEAST_CHARACTERS = 8

export function createCanaries(): Canaries {
  const forms = new Map<string, string>()
  const names = new Set<string>()
  const secrets = new Set<string>()
  return {
    add(what, secret) {
      if (secret.length < LEAST_CHARACTERS) throw new Error(`${what} is too short to be told from others`)
      names.add(what)
      secrets.add(secret)
      for (const [form, text] of formsOf(secret)) {
        if (!forms.has(text)) forms.set(text, `${what} (${form})`)
      }
      return secret
    },
    foundIn(text) {
      const lowerCase = text.toLowerCase()
      return [...forms].flatMap(([form, what]) =>
        text.includes(form) || (what.includes('hex') && lowerCase.includes(form)) ? [what] : [],
      )
    },
    names: () => [...names],
    count: () => ({ secrets: secrets.size, forms: forms.size }),
  }
}

/** How a secret may come out: as it is, and its characters, or the bytes that it stands for, in other clothes. */
function formsOf(secret: string): [form: string, text: string][] {
  const bare = secret.replace(/^whsec_/, '')
  const bytes = Buffer.from(bare, 'base64')
  return [
    ['as it is', secret],
    ['bare', bare],
    ['percent-encoded', encodeURIComponent(secret)],
    ['hex', Buffer.from(secret).toString('hex')],
    ['hex of its bytes', bytes.toString('hex')],
    ['base64url of its bytes', bytes.toString('base64url')],
    ...inBase64(secret),
  ]
}

/** Wherever in a longer text it stood, that part of it which does not hang on its neighbours. */
function inBase64(secret: string): [form: string, text: string][] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]).toString('base64')
    const from = before === 0 ? 0 : before + 1
    const whole = Math.floor(((before + Buffer.byteLength(secret)) * 8) / 6)
    return [`base64 at ${before}`, text.slice(from, whole)]
  })
}
