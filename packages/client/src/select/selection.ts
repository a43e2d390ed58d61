import type { ObjectTypes } from '../schema/types.generated.ts'
import type { ArgumentsMember, ArgumentsOf, Branch, FieldName, Leaf, NoArguments, ResponseName } from './fields.ts'

/**
 * A selection of an object's fields. The value of each field is `true` or an object. The member `$` of such an object
 * contains the field's arguments, and its other members are the fields to select below the field. The key
 * `'alias: field'` selects a field under another name.
 *
 * ```ts
 * const selection: Selection<'Device'> = { id: true, services: { $: { state: 'active' }, name: true } }
 * ```
 */
export type Selection<Name extends keyof ObjectTypes> = {
  readonly [Field in keyof ObjectTypes[Name]]?: FieldSelection<ObjectTypes[Name][Field]>
} & { readonly [alias: `${string}: ${string}`]: unknown }

type FieldSelection<Field> =
  Field extends Branch<infer Name extends keyof ObjectTypes, unknown, infer Arguments>
    ? Selection<Name> & ArgumentsMember<Arguments>
    : Field extends Leaf<unknown, infer Arguments>
      ? LeafSelection<Arguments>
      : never

type LeafSelection<Arguments> = keyof Arguments extends never
  ? true
  : NoArguments extends Arguments
    ? true | { readonly $: Arguments }
    : { readonly $: Arguments }

/** A type that no selection has. For an invalid selection, the compiler error contains `Sentence`. */
export interface Mistake<Sentence extends string> {
  mistake: Sentence
}

/**
 * The valid form of a selection. An unknown field, an unknown argument, or an object without a selected field becomes a
 * Mistake that explains the error.
 */
export type Checked<Name extends keyof ObjectTypes, Given> =
  Exclude<keyof Given, '$'> extends never
    ? Mistake<`select at least one field of ${Name}`>
    : // The compiler has already checked a value of type Selection where the code builds it.
      Selection<Name> extends Given
      ? unknown
      : { readonly [Key in keyof Given]: Key extends '$' ? Given[Key] : CheckedField<Name, FieldName<Key>, Given[Key]> }

type CheckedField<Name extends keyof ObjectTypes, Field, Given> = Field extends keyof ObjectTypes[Name]
  ? ObjectTypes[Name][Field] extends Branch<infer Target extends keyof ObjectTypes, unknown, infer Arguments>
    ? Given extends object
      ? Checked<Target, Given> & CheckedArguments<Arguments, Given>
      : Mistake<`select at least one field of ${Target}: { … }`>
    : LeafSelection<ArgumentsOf<ObjectTypes[Name][Field]>> &
        CheckedArguments<ArgumentsOf<ObjectTypes[Name][Field]>, Given>
  : Mistake<`${Name} has no field "${Field & string}"`>

type CheckedArguments<Arguments, Given> = (Given extends { readonly $: infer Values }
  ? {
      readonly $: {
        readonly [Key in keyof Values]: Key extends keyof Arguments
          ? Arguments[Key]
          : Mistake<`there is no argument "${Key & string}"`>
      }
    }
  : unknown) &
  (Given extends true ? unknown : ArgumentsMember<Arguments>)

export type Selected<Name extends keyof ObjectTypes, Given> = {
  -readonly [Key in keyof Given as ResponseKey<Key>]: SelectedField<
    ObjectTypes[Name][FieldName<Key> & keyof ObjectTypes[Name]],
    NonNullable<Given[Key]>
  >
}

/**
 * The key of a field in the response. Omits the aliases of a selection that is built at run time, because the compiler
 * does not know them.
 */
type ResponseKey<Key> = Key extends '$' ? never : string extends FieldName<Key> ? never : ResponseName<Key> & string

type SelectedField<Field, Given> =
  Field extends Branch<infer Name extends keyof ObjectTypes, infer Shape, unknown>
    ? Shaped<Shape, Selected<Name, Given>>
    : Field extends Leaf<infer Value, unknown>
      ? Value
      : never

type Shaped<Shape, Value> = Shape extends 'one'
  ? Value
  : Shape extends 'maybe'
    ? Value | null
    : Shape extends 'many'
      ? Value[]
      : Value[] | null
