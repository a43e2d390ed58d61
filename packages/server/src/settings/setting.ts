/** A setting of the server. docs/reference/settings.md is generated from these. */
export interface Setting<Value> {
  name: string
  meaning: string
  /** As the docs show it. */
  default: string
  secret?: boolean
  /** Throws an error whose message says what the value should be. `undefined` means "not set". */
  parse(text: string | undefined): Value
}

export const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition
