import { Rejection } from '../rejection-reasons.ts'

/** Throws `not-covered` unless a signature in form A covers the request target, the host, and a time. */
export function assertCavageCoverage(components: readonly string[]): void {
  if (!components.includes('(request-target)')) throw notCovered('(request-target)')
  if (!components.includes('host')) throw notCovered('host')
  if (!components.includes('date') && !components.includes('(created)')) throw notCovered('date or (created)')
}

/** Throws `not-covered` unless a signature in form B covers the method, the authority, and the whole target. */
export function assertRfc9421Coverage(components: readonly string[], target: string): void {
  const covers = (name: string): boolean => components.includes(name)
  if (!covers('@method')) throw notCovered('"@method"')
  // Require nothing else if the target URI is covered, because it contains the authority, the path, and the query (RFC
  // 9421 §2.2.2).
  if (covers('@target-uri')) return
  if (!covers('@authority')) throw notCovered('"@authority" or "@target-uri"')
  if (covers('@request-target')) return
  if (!covers('@path')) throw notCovered('"@path", "@target-uri", or "@request-target"')
  if (target.includes('?') && !covers('@query'))
    throw notCovered('"@query", "@target-uri", or "@request-target", because the target has a query')
}

export const notCovered = (what: string): Rejection => new Rejection('not-covered', `The signature must cover ${what}.`)
