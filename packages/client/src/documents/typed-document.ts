import { printDocument, type SyntaxTree } from './print-document.ts'

/**
 * A document with the types of its variables and its result: a `TypedDocumentNode`, or a typed string from GraphQL Code
 * Generator.
 */
export type TypedDocument<Data, Variables> = (SyntaxTree | { toString(): string }) & {
  __apiType?: (variables: Variables) => Data
}

export function documentText(document: string | TypedDocument<unknown, never>): string {
  return isSyntaxTree(document) ? printDocument(document) : String(document)
}

const isSyntaxTree = (document: unknown): document is SyntaxTree =>
  typeof document === 'object' && document !== null && (document as Partial<SyntaxTree>).kind === 'Document'
