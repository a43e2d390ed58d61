import { readFileSync } from 'node:fs'

export interface Example {
  name: string
  code: string
  prints: string[]
}

const preamble = `import { Muster as Client } from '@muster/client/node'
const muster = await Client.fromCredentials()
`

export function readExamples(): Example[] {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
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
