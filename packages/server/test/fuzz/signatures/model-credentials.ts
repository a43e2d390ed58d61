import type { Header } from './model-http.ts'

/** The parameters of a signature in form A (cavage-12) or form B (RFC 9421). */
export interface Credentials {
  form: 'A' | 'B'
  keyId: string
  algorithm: string | undefined
  components: string[]
  created: number | undefined
  expires: number | undefined
  signature: Buffer
  /** For form B, the list of components with its parameters, as in the signature base. */
  parameters: string
}

/**
 * Returns the parameters of the request's signature. Returns an empty list for a missing or malformed signature,
 * several signatures, or credentials in two headers.
 */
export function readCredentials(headers: readonly Header[]): Credentials[] {
  const values = (name: string): string[] => headers.filter((header) => header.name === name).map(({ value }) => value)
  const scheme = /^signature(?:[ \t]+|$)/i
  const inAuthorization = values('authorization').filter((value) => scheme.test(value))
  const inputs = values('signature-input')
  const signatures = values('signature')
  if (inputs.length > 0) return inAuthorization.length > 0 ? [] : readFormB(inputs.join(', '), signatures.join(', '))
  const candidates = [
    ...inAuthorization.map((value) => value.replace(scheme, '')),
    ...signatures.filter((one) => one !== ''),
  ]
  if (candidates.length !== 1) return []
  const read = readFormA(candidates[0]!)
  return read === undefined ? [] : [read]
}

function readFormA(text: string): Credentials | undefined {
  const parameters = new Map<string, string>()
  const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
  const one = new RegExp(`^[ \\t]*(${token})[ \\t]*=[ \\t]*(?:"([^"\\\\]*)"|(${token}))[ \\t]*(,|$)`)
  for (let rest = text; ; ) {
    const match = one.exec(rest)
    const name = match?.[1]?.toLowerCase()
    if (match === null || name === undefined || parameters.has(name)) return undefined
    parameters.set(name, match[2] ?? match[3]!)
    rest = rest.slice(match[0].length)
    if (match[4] === '') break
  }
  const signature = decode(parameters.get('signature'))
  const components = parameters.get('headers')?.toLowerCase().split(' ')
  if (signature === undefined || components === undefined) return undefined
  const time = (name: string): number | undefined => {
    const value = parameters.get(name) ?? ''
    return components.includes(`(${name})`) && /^[1-9]\d{9}$/.test(value) ? Number(value) : undefined
  }
  if (components.includes('(expires)') && time('expires') === undefined) return undefined
  return {
    form: 'A',
    keyId: parameters.get('keyid') ?? '',
    algorithm: parameters.get('algorithm'),
    components,
    created: time('created'),
    expires: time('expires'),
    signature,
    parameters: '',
  }
}

function readFormB(input: string, signature: string): Credentials[] {
  const [inputs, signatures] = [readMembers(input), readMembers(signature)]
  if (inputs === undefined || signatures === undefined || inputs.size > 1) return []
  if ([...inputs.keys()].sort().join() !== [...signatures.keys()].sort().join()) return []
  return [...inputs].flatMap(([label, text]) => readOne(text, signatures.get(label)!) ?? [])
}

/** Reads a list of `name=value` members. Returns undefined if a member is malformed or a name occurs twice. */
function readMembers(text: string): Map<string, string> | undefined {
  const members = new Map<string, string>()
  for (const part of text.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? []) {
    const match = /^[ \t]*([a-z*][a-z0-9_.*-]*)=(.*?)[ \t]*$/.exec(part)
    if (match === null || members.has(match[1]!)) return undefined
    members.set(match[1]!, match[2]!)
  }
  return members
}

function readOne(text: string, signatureText: string): Credentials | undefined {
  const list = /^\(((?:[ ]*"[^"\\]*")*)[ ]*\)(.*)$/.exec(text)
  const signature = decode(/^:(.*):$/.exec(signatureText)?.[1])
  if (list === null || signature === undefined) return undefined
  const components = (list[1]!.match(/"[^"]*"/g) ?? []).map((one) => one.slice(1, -1))
  const given = new Map<string, string>()
  const written: string[] = []
  for (let rest = list[2]!; rest !== ''; ) {
    const match = /^;[ ]*([a-z*][a-z0-9_.*-]*)(?:=("(?:[^"\\]|\\["\\])*"|[^;"\s]+))?/.exec(rest)
    if (match === null || given.has(match[1]!)) return undefined
    given.set(match[1]!, match[2] ?? '?1')
    written.push(`;${match[1]}${match[2] === undefined ? '' : `=${match[2]}`}`)
    rest = rest.slice(match[0].length)
  }
  const string = (name: string): string | undefined => {
    const value = given.get(name)
    return value?.startsWith('"') ? value.slice(1, -1) : value === undefined ? undefined : '\0 no string'
  }
  const integer = (name: string): number | undefined =>
    /^[1-9]\d{9}$/.test(given.get(name) ?? '') ? Number(given.get(name)) : undefined
  if (integer('created') === undefined || (given.has('expires') && integer('expires') === undefined)) return undefined
  return {
    form: 'B',
    keyId: string('keyid') ?? '',
    algorithm: string('alg'),
    components,
    created: integer('created'),
    expires: integer('expires'),
    signature,
    parameters: `(${components.map((name) => `"${name}"`).join(' ')})${written.join('')}`,
  }
}

/** Decodes canonical base64. Returns undefined if the string is missing, empty, or not canonical base64. */
function decode(text: string | undefined): Buffer | undefined {
  if (text === undefined || text === '') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
