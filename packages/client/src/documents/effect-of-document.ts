// This pattern matches strings, block strings, and comments (GraphQL §2.1.4, §2.9.4), because their content is not part
// of the document's structure.
const ignored = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*/g

/**
 * The effect of sending a document twice.
 *
 * - `none`: the document changes nothing.
 * - `idempotent`: the effect is the same as that of a single request.
 * - `creates`: the document takes effect once if both requests contain the same Idempotency-Key.
 * - `once`: the document could take effect twice, so it must be sent only once.
 */
export type Effect = 'none' | 'idempotent' | 'creates' | 'once'

/**
 * Each of these mutations sets a value or a state. A second request sets the same value again, even if another caller
 * has changed the value between the two requests. Updates of access keys and webhooks are excluded, because the second
 * request could enable a key or webhook that another caller has disabled.
 */
const idempotent: ReadonlySet<string> = new Set([
  'setAttribute',
  'setAttributes',
  'setAttributesMany',
  'updateDevice',
  'updateService',
  'renameService',
  'reportState',
  'cancelBulk',
])

/**
 * The server accepts an Idempotency-Key for these mutations if the document contains no other root field. `runBulk` is
 * excluded: with a key, the server would discard a job whose preview is not as expected. Without a key, the job stays
 * ready.
 */
const creating: ReadonlySet<string> = new Set([
  'addService',
  'createAccessKey',
  'createBulk',
  'createInvitation',
  'createRegistrationCode',
  'createRole',
  'createView',
  'createWebhook',
  'registerDevice',
  'retryBulk',
  'rotateAccessKey',
  'undoBulk',
])

/** Effects from the most severe to the least severe. */
const effects: readonly Effect[] = ['once', 'creates', 'idempotent', 'none']

/**
 * Returns the effect of an operation. If the document does not contain the named operation, returns the most severe
 * effect of all its operations. If the document cannot be classified, returns `once`.
 */
export function effectOf(document: string, operationName?: string): Effect {
  const definitions = readDefinitions(document)
  const named = definitions.filter(({ kind, name }) => kind !== 'fragment' && name === operationName)
  const possible = named.length > 0 ? named : definitions.filter(({ kind }) => kind !== 'fragment')
  if (possible.length === 0) return 'once'
  const found = possible.map(effectOfDefinition)
  return effects.find((effect) => found.includes(effect)) ?? 'once'
}

function effectOfDefinition({ kind, rootFields }: Definition): Effect {
  if (kind === 'query') return 'none'
  if (kind !== 'mutation') return 'once'
  if (rootFields.every((field) => idempotent.has(field))) return 'idempotent'
  const [field] = rootFields
  return field !== undefined && rootFields.length === 1 && creating.has(field) ? 'creates' : 'once'
}

interface Definition {
  kind: string
  name: string | undefined
  /** Names of the root fields. `...` represents the fields of a fragment. */
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

/** Removes strings, comments, arguments, and variable definitions, because they can contain braces and names. */
function withoutParentheses(document: string): string {
  let depth = 0
  return document.replace(ignored, ' ').replace(/[()]|[^()]+/g, (part) => {
    if (part === '(') depth++
    else if (part === ')') depth--
    else return depth === 0 ? part : ' '
    return ' '
  })
}
