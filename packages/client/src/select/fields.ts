// biome-ignore lint/complexity/noBannedTypes: no arguments at all
export type NoArguments = {}

/** A field of plain values, in the terms of the compiler. */
export interface Leaf<Value, Arguments = NoArguments> {
  leaf: Value
  arguments: Arguments
}

/** A field of objects, in the terms of the compiler. */
export interface Branch<Name extends string, Shape, Arguments = NoArguments> {
  branch: Name
  shape: Shape
  arguments: Arguments
}

export type AnyField = { arguments: unknown }

/** The arguments that a field takes. */
export type ArgumentsOf<Field> = Field extends { arguments: infer Arguments } ? Arguments : never

/** `$` with a field's arguments: not there where it takes none, optional where all of them are. */
export type ArgumentsMember<Arguments> = keyof Arguments extends never
  ? unknown
  : NoArguments extends Arguments
    ? { readonly $?: Arguments }
    : { readonly $: Arguments }

/** The field that a member of a selection asks for: `attributes` of `'atNight: attributes'`. */
export type FieldName<Key> = Key extends `${string}: ${infer Name}` ? Name : Key

/** The name that a member of a selection has in the answer. */
export type AnswerName<Key> = Key extends `${infer Alias}: ${string}` ? Alias : Key
