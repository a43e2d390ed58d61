import type { DocumentNeeds } from './needed-permissions.ts'

/**
 * Omits the needs of mutations that change only the caller's own data. Keeps the needs of a mutation if at least one of
 * its occurrences in the document changes other data.
 */
export function withoutOwnChanges<Mutation extends { name: string }>(
  needs: DocumentNeeds,
  mutations: readonly Mutation[],
  isOwn: (mutation: Mutation) => boolean,
): DocumentNeeds {
  if (needs.kind !== 'mutation') return needs
  const others = new Set(mutations.flatMap((mutation) => (isOwn(mutation) ? [] : [`Mutation.${mutation.name}`])))
  return needs.without((field) => field.startsWith('Mutation.') && !others.has(field))
}
