/** A setting of the server. docs/reference/settings.md is generated from these. */
export interface Setting<Value> {
  name: string
  meaning: string
  /** The default as shown in the docs. */
  default: string
  secret?: boolean
  /** Throws an error whose message says what the value should be. `undefined` means that the setting is not set. */
  parse(text: string | undefined): Value
}

export const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition
