/** One setting of the server: docs/reference/settings.md is made from them. */
export interface Setting<Value> {
  name: string
  meaning: string
  /** As it is written in the docs. */
  default: string
  secret?: boolean
  /** Throws a text that says what the value should be. `undefined` stands for "not set". */
  parse(text: string | undefined): Value
}

export const setting = <Value>(given: Setting<Value>): Setting<Value> => given
