import type { SyntaxTree } from './print-document.ts'
import { printDocument } from './print-document.ts'

/**
 * A document that knows the types of its variables and its answer: a `TypedDocumentNode`, or a string with types as GraphQL Code
 * Generator makes them.
 */
export type TypedDocument<Data, Variables> = (SyntaxTree | { toString(): string }) & {
  __apiType?: (variables: Variables) => Data
}

/** A document as text. */
export function documentText(document: string | TypedDocument<unknown, never>): string {
  return isSyntaxTree(document) ? printDocument(document) : String(document)
}

const isSyntaxTree = (document: unknown): document is SyntaxTree =>
  typeof document === 'object' && document !== null && (document as Partial<SyntaxTree>).kind === 'Document'
