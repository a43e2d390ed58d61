// Strings, block strings and comments (GraphQL §2.1.4, §2.9.4): what they hold is no part of the structure.
const ignored = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*/g

/** What running a document twice does beside running it once: nothing, nothing that stays, or it again. */
export type Effect = 'none' | 'idempotent' | 'once'

/**
 * Mutations that set a value: sent twice, they leave what they leave when sent once. Those of access keys and webhooks are
 * not among them: a second one could undo what somebody did in between to stop one.
 */
const idempotent: ReadonlySet<string> = new Set([
  'setAttribute',
  'setAttributes',
  'setAttributesMany',
  'updateDevice',
  'updateService',
  'renameService',
  'reportState',
])

/** The effect of the operation that would run; of the gravest where it is not known which. What is in doubt counts as `once`. */
export function effectOf(document: string, operationName?: string): Effect {
  const definitions = readDefinitions(document)
  const named = definitions.filter(({ kind, name }) => kind !== 'fragment' && name === operationName)
  const possible = named.length > 0 ? named : definitions.filter(({ kind }) => kind !== 'fragment')
  if (possible.length === 0) return 'once'
  const effects = possible.map(({ kind, rootFields }): Effect => {
    if (kind === 'query') return 'none'
    return kind === 'mutation' && rootFields.every((field) => idempotent.has(field)) ? 'idempotent' : 'once'
  })
  return effects.find((effect) => effect === 'once') ?? effects.find((effect) => effect === 'idempotent') ?? 'none'
}

interface Definition {
  kind: string
  name: string | undefined
  /** `...` stands for what a fragment brings. */
  rootFields: string[]
}

function readDefinitions(document: string): Definition[] {
  const definitions: Definition[] = []
  let depth = 0
  let head: string[] = []
  for (const [token] of withoutParentheses(document).matchAll(/[{}]|\.{3}|@?\w+(?:\s*:)?/g)) {
    if (token === '}') depth--
    else if (token === '{') {
      if (depth === 0) {
        const [kind = 'query', name] = head
        definitions.push({ kind, name, rootFields: [] })
        head = []
      }
      depth++
    } else if (token.startsWith('@') || token.endsWith(':')) continue
    else if (depth === 0) head.push(token)
    else if (depth === 1) definitions.at(-1)!.rootFields.push(token)
  }
  return definitions
}

/** Arguments and variables hold braces and names of their own. */
function withoutParentheses(document: string): string {
  let depth = 0
  return document.replace(ignored, ' ').replace(/[()]|[^()]+/g, (part) => {
    if (part === '(') depth++
    else if (part === ')') depth--
    else return depth === 0 ? part : ' '
    return ' '
  })
}
