// biome-ignore lint/complexity/noBannedTypes: a field without arguments
export type NoArguments = {}

export interface Leaf<Value, Arguments = NoArguments> {
  leaf: Value
  arguments: Arguments
}

export interface Branch<Name extends string, Shape, Arguments = NoArguments> {
  branch: Name
  shape: Shape
  arguments: Arguments
}

export type ArgumentsOf<Field> = Field extends { arguments: infer Arguments } ? Arguments : never

/**
 * The member `$`, which contains a field's arguments. It is optional if all arguments are optional. A field without
 * arguments has no such member.
 */
export type ArgumentsMember<Arguments> = keyof Arguments extends never
  ? unknown
  : NoArguments extends Arguments
    ? { readonly $?: Arguments }
    : { readonly $: Arguments }

/** The name of the field that a selection's member selects: `attributes` for `'atNight: attributes'`. */
export type FieldName<Key> = Key extends `${string}: ${infer Name}` ? Name : Key

/** The name of a selection's member in the response: `atNight` for `'atNight: attributes'`. */
export type ResponseName<Key> = Key extends `${infer Alias}: ${string}` ? Alias : Key
