import { readFileSync } from 'node:fs'

export interface Example {
  name: string
  code: string
  prints: string[]
}

const preamble = `import { Muster as Client } from '@muster/client/node'
const muster = await Client.fromCredentials()
`

/** Returns the text of the README and of the pages in `docs/`. */
export function readPages(): string {
  const pages = ['README.md', 'docs/attributes-and-events.md', 'docs/errors-and-retries.md']
  return pages.map((page) => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8')).join('\n')
}

/** Returns the programs in the README and in the pages in `docs/`. */
export function readExamples(): Example[] {
  const text = readPages()
  const examples: Example[] = []
  for (const part of text.split(/^#+ /m).slice(1)) {
    const heading = part.slice(0, part.indexOf('\n'))
    for (const [, code = ''] of part.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
      const hasOwn = /^const muster = /m.test(code)
      examples.push({
        name: `${heading} ${examples.length + 1}`,
        code: hasOwn ? code : preamble + code,
        prints: Array.from(code.matchAll(/^console\.log\(.*\) \/\/ (.+)$/gm), ([, printed = '']) => printed),
      })
    }
  }
  return examples
}

export const withCredentials = (code: string, user: { url: string; keyId: string; secret: string }): string =>
  code
    .replaceAll("url: 'http://127.0.0.1:4000'", `url: '${user.url}'`)
    .replaceAll("keyId: 'MK…', secret: '…'", `keyId: '${user.keyId}', secret: '${user.secret}'`)
