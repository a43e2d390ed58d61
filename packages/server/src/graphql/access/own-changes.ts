import type { DocumentNeeds } from './needed-permissions.ts'

/**
 * Omits the needs of mutations that change only the caller's own data. If the document contains a mutation several
 * times, each occurrence must change only that data.
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
