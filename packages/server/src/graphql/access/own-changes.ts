import type { DocumentNeeds } from './field-needs.ts'

/** A mutation that the document contains several times must change only own data each time. */
export function withoutOwnChanges<Mutation extends { name: string }>(
  needs: DocumentNeeds,
  mutations: readonly Mutation[],
  isOwn: (mutation: Mutation) => boolean,
): DocumentNeeds {
  if (needs.kind !== 'mutation') return needs
  const others = new Set(mutations.flatMap((mutation) => (isOwn(mutation) ? [] : [`Mutation.${mutation.name}`])))
  return needs.without((field) => field.startsWith('Mutation.') && !others.has(field))
}
