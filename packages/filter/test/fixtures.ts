import { type CheckedFilter, checkFilter, type FilterProblem, type ResolveOptions } from '../src/index.ts'

export const known: ReadonlySet<string> = new Set([
  'site',
  'rack',
  'load',
  'firmware',
  'lastBackup',
  'net.ssid',
  'net.ssid 5',
  'rack row',
  'state',
  'a.b.c',
  'AND',
  '__proto__',
  'x"y',
  '50%_\\',
])

export const check = (text: string, options: ResolveOptions = {}): CheckedFilter =>
  checkFilter(text, { knownAttributes: known, ...options })

export const problemsOf = (text: string): readonly FilterProblem[] => checkFilter(text).problems

export const strip = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value) => (key === 'from' || key === 'to' ? undefined : value)))
