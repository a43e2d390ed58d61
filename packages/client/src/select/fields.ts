// biome-ignore lint/complexity/noBannedTypes: no arguments at all
export type NoArguments = {}

/** The type of a field with plain values. */
export interface Leaf<Value, Arguments = NoArguments> {
  leaf: Value
  arguments: Arguments
}

/** The type of a field with objects. */
export interface Branch<Name extends string, Shape, Arguments = NoArguments> {
  branch: Name
  shape: Shape
  arguments: Arguments
}

export type AnyField = { arguments: unknown }

/** The arguments of a field. */
export type ArgumentsOf<Field> = Field extends { arguments: infer Arguments } ? Arguments : never

/** `$` with the arguments of a field. Omitted if there are none, and optional if all are optional. */
export type ArgumentsMember<Arguments> = keyof Arguments extends never
  ? unknown
  : NoArguments extends Arguments
    ? { readonly $?: Arguments }
    : { readonly $: Arguments }

/** The field that a member of a selection selects: `attributes` for `'atNight: attributes'`. */
export type FieldName<Key> = Key extends `${string}: ${infer Name}` ? Name : Key

/** The name of a member of a selection in the response. */
export type ResponseName<Key> = Key extends `${infer Alias}: ${string}` ? Alias : Key
